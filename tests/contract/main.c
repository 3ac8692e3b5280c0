// The contract of storage policies: the same cases, with the same answers, for every one of them,
// through the public interface only.
#include "runner/test.h"

SUITES(contract)
