// Unit tests of src/query, one file per source file; and what an open iteration refuses.
#include "runner/test.h"

SUITES(query, query_desc, iter, iter_misuse, iter_page, cached_segment, mixed, mixed_access,
       mixed_care, block, stretch, owner, gather, flip, inspect, refused, bulk, each, group,
       group_run, ring, ring_single, sort, split, storage, toggle, toggle_random, toggle_group,
       change, change_random, types)
