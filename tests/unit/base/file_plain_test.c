// The same as file_test.c for what base/file does where there is nothing but C, under other names.
#define MICAI_PLAIN_FILES
#define micai_file_open plain_file_open
#define micai_file_read plain_file_read
#define micai_file_create plain_file_create
#define micai_file_write plain_file_write
#define micai_file_commit plain_file_keep
#define micai_file_discard plain_file_drop
#define micai_file_close plain_file_close
#define micai_file_reason_text plain_file_why
#include "../src/base/file.c"

#define FILE_SUITE file_plain
#define FILE_IS_PLAIN 1
#include "unit/base/file_test.c"
