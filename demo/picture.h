// A flock as a picture: rows of red, green and blue, a byte each.
#ifndef PICTURE_H
#define PICTURE_H

#include "flock.h"

typedef struct picture {
    int width, height;
    unsigned char *pixels; // 3 * width * height
    float *light;          // the same, while it is being drawn
} picture;

// Makes it this large; false, and nothing in it, if there is no memory.
bool picture_resize(picture *p, int width, int height);
void picture_free(picture *p);

void picture_draw(picture *p, flock *f);

// As a PNG file; false, with errno, if it cannot be written.
bool picture_save(const picture *p, const char *path);

#endif
