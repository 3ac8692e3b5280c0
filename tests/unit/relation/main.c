// Unit tests of src/relation.
#include "runner/test.h"

SUITES(relation_damage, relation_link, relation_death, relation_query, relation_store,
       relation_random)
