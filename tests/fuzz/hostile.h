// Images that are right in form and hostile in content, loaded by several programs: what the targets
// hostile_binary and hostile_json have in common.
#ifndef TEST_FUZZ_HOSTILE_H
#define TEST_FUZZ_HOSTILE_H

#include "fuzz/tree.h"

// The first byte says which world the image is of, the second which three programs load it, the others how it is
// changed (tree_change.c). The image is written with `write`.
void hostile_try(const uint8_t *data, size_t size, tree_image (*write)(const tree *root));

#endif
