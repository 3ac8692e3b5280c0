// Blobs: what a hook of a type that this program does not know has written, kept as it is.
//
// Room:    image. Called by schema.c.
#ifndef MICAI_IMAGE_BLOB_INTERNAL_H
#define MICAI_IMAGE_BLOB_INTERNAL_H

#include <mica/type.h>

// Fills in size, alignment, field and hooks of a type whose values are blobs.
void micai_blob_describe(mica_type_desc *desc);

#endif
