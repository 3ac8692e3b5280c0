// Drawing a flock: every bird adds a little light, in a colour that says where it flies; those that panic
// are white. A timeline of snapshots. And writing PNG files.
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool picture_resize(picture *p, int width, int height)
{
    if (p->width == width && p->height == height) {
        return true;
    }
    picture_free(p);
    size_t count = 3 * (size_t)width * (size_t)height;
    p->pixels = malloc(count);
    p->light = malloc(count * sizeof *p->light);
    if (!p->pixels || !p->light) {
        picture_free(p);
        return false;
    }
    p->width = width;
    p->height = height;
    return true;
}

void picture_free(picture *p)
{
    free(p->pixels);
    free(p->light);
    memset(p, 0, sizeof *p);
}

static void add_light(picture *p, Position at, float red, float green, float blue)
{
    int x = (int)(at.x * (float)p->width / FLOCK_WIDTH);
    int y = (int)(at.y * (float)p->height / FLOCK_HEIGHT);
    if (x >= 0 && y >= 0 && x < p->width && y < p->height) {
        float *light = &p->light[3 * (y * p->width + x)];
        light[0] += red;
        light[1] += green;
        light[2] += blue;
    }
}

static void add_disc(picture *p, Position at, float radius, float red, float green, float blue)
{
    float step = (float)FLOCK_WIDTH / (float)p->width;
    for (float dy = -radius; dy <= radius; dy += step) {
        for (float dx = -radius; dx <= radius; dx += step) {
            if (dx * dx + dy * dy <= radius * radius) {
                add_light(p, (Position){at.x + dx, at.y + dy}, red, green, blue);
            }
        }
    }
}

static void draw_birds(picture *p, flock *f, float light)
{
    mica_iter it;
    mica_iter_begin(f->world, f->birds, &it);
    while (mica_iter_next(&it)) {
        const Position *at = mica_read(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        uint64_t enabled = 0;
        for (uint32_t i = 0; i < it.count; i++) {
            enabled = i % 64 == 0 ? mica_read_enabled(&it, 2, i) : enabled >> 1;
            if (enabled & 1) {
                add_light(p, at[i], 2 * light, 2 * light, 2 * light);
            } else {
                float x = v[i].x / 60, y = v[i].y / 60; // the direction, as parts of 1
                add_light(p, at[i], light * (0.65f + 0.45f * x), light * (0.55f - 0.35f * y),
                          light * (0.75f - 0.35f * x + 0.2f * y));
            }
        }
    }
}

// Calls draw for all matches, with the place and the second component, if there is one.
static void draw_each(picture *p, flock *f, mica_query query,
                      void (*draw)(picture *p, Position at, const void *other))
{
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    while (mica_iter_next(&it)) {
        const Position *at = mica_read(&it, 0);
        const Rock *rocks = MICA_EQUAL(query, f->rocks) ? mica_read(&it, 1) : NULL;
        for (uint32_t i = 0; i < it.count; i++) {
            draw(p, at[i], rocks ? &rocks[i] : NULL);
        }
    }
}

static void draw_rock(picture *p, Position at, const void *rock)
{
    add_disc(p, at, ((const Rock *)rock)->radius, 0.25f, 0.24f, 0.26f);
}

static void draw_hawk(picture *p, Position at, const void *other)
{
    (void)other;
    add_disc(p, at, 6, 4, 0.3f, 0.1f);
}

static void draw_leader(picture *p, Position at, const void *other)
{
    (void)other;
    add_disc(p, at, 2, 1.2f, 1.0f, 0.1f);
}

static void fill(picture *p, int from, int until, int height, float red, float green, float blue)
{
    for (int y = p->height - height; y < p->height; y++) {
        for (int x = from; x < until; x++) {
            float *light = &p->light[3 * (y * p->width + x)];
            light[0] = red;
            light[1] = green;
            light[2] = blue;
        }
    }
}

static int timeline_place(const picture *p, const flock *f, const flock_moment *at)
{
    uint32_t first = f->moments[0].frame;
    uint32_t frames = flock_last_frame(f) - first;
    float part = frames == 0 ? 0 : (float)(at->frame - first) / (float)frames;
    return (int)(part * (float)(p->width - 1));
}

// A bar at the bottom: a stroke for each snapshot, from the oldest to the newest. A white one is where we are; those
// behind it can be played again.
static void draw_timeline(picture *p, const flock *f)
{
    int height = p->height / 80 > 2 ? p->height / 80 : 2;
    fill(p, 0, p->width, height, 0.02f, 0.02f, 0.02f);
    for (uint32_t i = 0; i < f->moment_count; i++) {
        int x = timeline_place(p, f, &f->moments[i]);
        if (i <= f->moment_now) {
            fill(p, x, x + 1, height, 1.2f, 0.7f, 0.1f);
        } else {
            fill(p, x, x + 1, height, 0.1f, 0.4f, 1.2f);
        }
    }
    if (f->moment_count > 0) {
        int x = timeline_place(p, f, &f->moments[f->moment_now]);
        fill(p, x > 0 ? x - 1 : 0, x + 2 < p->width ? x + 2 : p->width, 2 * height, 5, 5, 5);
    }
}

void picture_draw(picture *p, flock *f)
{
    size_t count = 3 * (size_t)p->width * (size_t)p->height;
    for (size_t i = 0; i < count; i++) {
        p->light[i] = i % 3 == 2 ? 0.09f : 0.035f; // the evening sky
    }
    // The fewer pixels, the more birds are in each.
    float each = (float)p->width * (float)p->height / (1 + (float)mica_entity_count(f->world));
    draw_each(p, f, f->rocks, draw_rock);
    draw_birds(p, f, fminf(0.30f * each, 0.9f));
    draw_each(p, f, f->leaders, draw_leader);
    draw_each(p, f, f->hawks, draw_hawk);
    draw_timeline(p, f);
    for (size_t i = 0; i < count; i++) {
        p->pixels[i] = (unsigned char)(255 * (1 - expf(-p->light[i])));
    }
}

// PNG: the picture as it is, in blocks that are not compressed

static uint32_t crc_of(uint32_t crc, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
        }
    }
    return crc;
}

static void put32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

// `bytes` begin with 8 that are filled in here: length and kind.
static bool write_chunk(FILE *file, const char *kind, unsigned char *bytes, size_t size)
{
    unsigned char crc[4];
    put32(bytes, (uint32_t)size);
    memcpy(bytes + 4, kind, 4);
    put32(crc, ~crc_of(UINT32_MAX, bytes + 4, size + 4));
    return fwrite(bytes, 1, size + 8, file) == size + 8 && fwrite(crc, 1, 4, file) == 4;
}

// A row: the head of a block of deflate's, the filter byte, the pixels.
static size_t put_row(const picture *p, int y, unsigned char *to, uint32_t adler[2])
{
    size_t size = 1 + 3 * (size_t)p->width;
    to[0] = y == p->height - 1; // the last block
    to[1] = (unsigned char)(size & 255);
    to[2] = (unsigned char)(size >> 8);
    to[3] = (unsigned char)~to[1];
    to[4] = (unsigned char)~to[2];
    to[5] = 0; // no filter
    memcpy(to + 6, p->pixels + (size_t)y * (size - 1), size - 1);
    for (size_t i = 0; i < size; i++) {
        adler[0] = (adler[0] + to[5 + i]) % 65521;
        adler[1] = (adler[1] + adler[0]) % 65521;
    }
    return 5 + size;
}

bool picture_save(const picture *p, const char *path)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8 + 13] = {[16] = 8, [17] = 2};
    unsigned char end[8];
    size_t size = 2 + (6 + 3 * (size_t)p->width) * (size_t)p->height + 4;
    unsigned char *data = malloc(8 + size);
    FILE *file = data ? fopen(path, "wb") : NULL;
    if (!file) {
        free(data);
        return false;
    }
    put32(head + 8, (uint32_t)p->width);
    put32(head + 12, (uint32_t)p->height);
    unsigned char *to = data + 8;
    *to++ = 0x78;
    *to++ = 1;
    uint32_t adler[2] = {1, 0};
    for (int y = 0; y < p->height; y++) {
        to += put_row(p, y, to, adler);
    }
    put32(to, adler[1] << 16 | adler[0]);
    bool written = fwrite(signature, 1, 8, file) == 8 && write_chunk(file, "IHDR", head, 13) &&
                   write_chunk(file, "IDAT", data, size) && write_chunk(file, "IEND", end, 0);
    free(data);
    return fclose(file) == 0 && written;
}
