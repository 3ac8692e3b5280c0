// Opaque values: what a hook of a type that this program does not know has written, kept as it is.
//
// Room:    image. Called by schema.c.
#ifndef MICAI_IMAGE_OPAQUE_INTERNAL_H
#define MICAI_IMAGE_OPAQUE_INTERNAL_H

#include <mica/type.h>

// Fills in size, alignment, field and hooks of a type whose values are opaque.
void micai_opaque_describe(mica_type_desc *desc);

#endif
