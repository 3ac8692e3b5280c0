// One row of a segment, field by field, which is how the values of every storage can be reached.
#ifndef TEST_RUNNER_ROWS_H
#define TEST_RUNNER_ROWS_H

#include <mica/query.h>

// The value of a row, put together from the fields of its type (without fields: from its bytes); what
// no field describes is zero. False if the component is not there, or if that was refused.
bool test_row_load(const mica_iter *it, uint32_t term, const mica_type_info *type, uint32_t row,
                   void *value_out);

// The same, written.
bool test_row_store(const mica_iter *it, uint32_t term, const mica_type_info *type, uint32_t row,
                    const void *value);

#endif
