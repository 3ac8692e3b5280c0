// Opaque values: what a save hook wrote of a type that this program does not know. They are kept as
// bytes.
//
// Room:    image. Called by schema.c.
#ifndef MICAI_IMAGE_OPAQUE_INTERNAL_H
#define MICAI_IMAGE_OPAQUE_INTERNAL_H

#include <mica/type.h>

// Fills in size, alignment, fields and hooks of a type with opaque values.
void micai_opaque_describe(mica_type_desc *desc);

#endif
