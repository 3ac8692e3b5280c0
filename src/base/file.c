// Files: POSIX calls where available, otherwise standard C. file.h has the contract. Standard C
// alone cannot guarantee that data is on the disk. It also does not guarantee that rename replaces
// a file; on Windows, this file uses MoveFileEx.
//
// Room:    base. Called by base/stream.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(MICAI_PLAIN_FILES)
#define HAS_POSIX 1
// NOLINTBEGIN(bugprone-reserved-identifier): POSIX defines these names
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64 // files beyond 2 GiB on 32-bit systems
// NOLINTEND(bugprone-reserved-identifier)
#endif

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef HAS_POSIX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <io.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

// Error codes of our own, beside those of the system.
enum { REASON_FOLDER = -1, REASON_SPECIAL = -2 };

#define ATTEMPTS 100 // temporary names to try before the call gives up

static bool fail_with(micai_file *file, int reason)
{
    file->reason = reason;
    return false;
}

static void name_temporary(char *temporary, const char *path, unsigned process, int attempt)
{
    size_t size = strlen(path) + MICAI_FILE_SUFFIX_SIZE;
    snprintf(temporary, size, "%s.%u-%d.tmp", path, process, attempt);
}

#ifdef HAS_POSIX

static int descriptor_of(const micai_file *file)
{
    return (int)file->handle;
}

static int open_descriptor(const char *path, int flags, mode_t mode)
{
    int number;
    do {
        number = open(path, flags | O_CLOEXEC, mode);
    } while (number < 0 && errno == EINTR);
    return number;
}

bool micai_file_open(micai_file *file, const char *path)
{
    *file = (micai_file){.handle = MICAI_FILE_CLOSED, .size = UINT64_MAX};
    int number = open_descriptor(path, O_RDONLY, 0);
    struct stat status;
    if (number < 0) {
        return fail_with(file, errno);
    }
    int reason = fstat(number, &status) != 0 ? errno : 0;
    if (!reason && S_ISDIR(status.st_mode)) {
        reason = REASON_FOLDER;
    }
    if (reason) {
        close(number);
        return fail_with(file, reason);
    }
    file->handle = number;
    if (S_ISREG(status.st_mode)) {
        file->size = (uint64_t)status.st_size;
    }
    return true;
}

size_t micai_file_read(micai_file *file, void *data, size_t size)
{
    ssize_t count;
    do {
        // Some systems refuse more than a gigabyte per call.
        count = read(descriptor_of(file), data, size < (size_t)1 << 30 ? size : (size_t)1 << 30);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        file->reason = errno;
        return MICAI_FILE_FAILED;
    }
    return (size_t)count;
}

// Fails if the target must not be replaced. An existing file passes its permissions on to the new
// one.
static int check_target(const char *path, mode_t *mode_out)
{
    struct stat status;
    *mode_out = 0;
    if (stat(path, &status) != 0) {
        return errno == ENOENT ? 0 : errno;
    }
    *mode_out = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    if (S_ISDIR(status.st_mode)) {
        return REASON_FOLDER;
    }
    return S_ISREG(status.st_mode) ? 0 : REASON_SPECIAL;
}

bool micai_file_create(micai_file *file, const char *path, char *temporary)
{
    *file = (micai_file){.handle = MICAI_FILE_CLOSED, .size = UINT64_MAX};
    mode_t mode;
    int reason = check_target(path, &mode);
    if (reason) {
        return fail_with(file, reason);
    }
    int number = -1;
    for (int attempt = 0; number < 0 && attempt < ATTEMPTS; attempt++) {
        name_temporary(temporary, path, (unsigned)getpid(), attempt);
        number = open_descriptor(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (number < 0 && errno != EEXIST) {
            break;
        }
    }
    if (number < 0) {
        return fail_with(file, errno);
    }
    file->handle = number;
    // Some file systems have no permissions. That is no reason to fail the save.
    if (mode != 0 && fchmod(number, mode) != 0) {
        errno = 0;
    }
    return true;
}

bool micai_file_write(micai_file *file, const void *data, size_t size)
{
    const unsigned char *rest = data;
    while (size > 0) {
        ssize_t count =
            write(descriptor_of(file), rest, size < (size_t)1 << 30 ? size : (size_t)1 << 30);
        if (count < 0 && errno != EINTR) {
            return fail_with(file, errno);
        }
        if (count > 0) {
            rest += count;
            size -= (size_t)count;
        }
    }
    return true;
}

static int flush_descriptor(int number)
{
    int failed;
    do {
        failed = fsync(number);
    } while (failed && errno == EINTR);
    return failed ? errno : 0;
}

// Opens the folder that contains `path`. `name` is a buffer for the folder's name. Returns -1 on
// failure.
static int open_folder(const char *path, char *name)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return open_descriptor(".", O_RDONLY, 0);
    }
    size_t size = slash == path ? 1 : (size_t)(slash - path);
    memcpy(name, path, size);
    name[size] = '\0';
    return open_descriptor(name, O_RDONLY, 0);
}

// Ignores a folder that is writable but not readable, and a file system that cannot flush folders.
// Nothing can be done about either.
static int flush_folder(const char *path, char *name)
{
    int number = open_folder(path, name);
    if (number < 0) {
        return errno == EACCES ? 0 : errno;
    }
    int reason = flush_descriptor(number);
    close(number);
    return reason == EINVAL || reason == EROFS ? 0 : reason;
}

bool micai_file_commit(micai_file *file, char *temporary, const char *path, bool *renamed_out)
{
    int reason = flush_descriptor(descriptor_of(file));
    *renamed_out = false;
    if (close(descriptor_of(file)) != 0 && !reason && errno != EINTR) {
        reason = errno;
    }
    file->handle = MICAI_FILE_CLOSED;
    if (!reason && rename(temporary, path) != 0) {
        reason = errno;
    }
    if (reason) {
        unlink(temporary);
        return fail_with(file, reason);
    }
    *renamed_out = true;
    reason = flush_folder(path, temporary);
    return reason ? fail_with(file, reason) : true;
}

void micai_file_discard(micai_file *file, const char *temporary)
{
    if (file->handle != MICAI_FILE_CLOSED) {
        micai_file_close(file);
        unlink(temporary);
    }
}

void micai_file_close(micai_file *file)
{
    if (file->handle != MICAI_FILE_CLOSED) {
        close(descriptor_of(file));
        file->handle = MICAI_FILE_CLOSED;
    }
}

#else // standard C

static FILE *stream_of(const micai_file *file)
{
    return (FILE *)file->handle;
}

// Some libraries do not set errno.
static int reason_now(void)
{
    return errno ? errno : EIO;
}

// Standard C knows neither folders nor file sizes; on Windows this asks the system. Leaves
// `size_out` unchanged if the size is unknown.
static bool is_folder(const char *path, uint64_t *size_out)
{
#ifdef _WIN32
    WIN32_FILE_ATTRIBUTE_DATA data;
    if (!GetFileAttributesExA(path, GetFileExInfoStandard, &data)) {
        return false;
    }
    *size_out = (uint64_t)data.nFileSizeHigh << 32 | data.nFileSizeLow;
    return (data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
#else
    (void)path, (void)size_out;
    return false;
#endif
}

bool micai_file_open(micai_file *file, const char *path)
{
    *file = (micai_file){.handle = MICAI_FILE_CLOSED, .size = UINT64_MAX};
    if (is_folder(path, &file->size)) {
        return fail_with(file, REASON_FOLDER);
    }
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return fail_with(file, reason_now());
    }
    file->handle = (intptr_t)stream;
    return true;
}

size_t micai_file_read(micai_file *file, void *data, size_t size)
{
    errno = 0;
    size_t count = fread(data, 1, size, stream_of(file));
    if (count == 0 && ferror(stream_of(file))) {
        file->reason = reason_now();
        return MICAI_FILE_FAILED;
    }
    return count;
}

// fopen's mode "x" would do, but not every library supports it.
static bool exists(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream) {
        fclose(stream);
    }
    return stream != NULL;
}

bool micai_file_create(micai_file *file, const char *path, char *temporary)
{
    *file = (micai_file){.handle = MICAI_FILE_CLOSED, .size = UINT64_MAX};
    uint64_t size;
    if (is_folder(path, &size)) {
        return fail_with(file, REASON_FOLDER);
    }
    int attempt = 0;
    do {
        name_temporary(temporary, path, 0, attempt++);
    } while (attempt < ATTEMPTS && exists(temporary));
    errno = 0;
    FILE *stream = fopen(temporary, "wb");
    if (!stream) {
        return fail_with(file, reason_now());
    }
    file->handle = (intptr_t)stream;
    return true;
}

bool micai_file_write(micai_file *file, const void *data, size_t size)
{
    errno = 0;
    return fwrite(data, 1, size, stream_of(file)) == size || fail_with(file, reason_now());
}

static bool flush_stream(FILE *stream)
{
#ifdef _WIN32
    return fflush(stream) == 0 && _commit(_fileno(stream)) == 0;
#else
    return fflush(stream) == 0;
#endif
}

static bool replace(const char *temporary, const char *path)
{
#ifdef _WIN32
    if (MoveFileExA(temporary, path, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
        return true;
    }
    errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : EIO;
    return false;
#else
    return rename(temporary, path) == 0;
#endif
}

bool micai_file_commit(micai_file *file, char *temporary, const char *path, bool *renamed_out)
{
    errno = 0;
    bool flushed = flush_stream(stream_of(file));
    int reason = flushed ? 0 : reason_now();
    if (fclose(stream_of(file)) != 0 && !reason) {
        reason = reason_now();
    }
    file->handle = MICAI_FILE_CLOSED;
    if (!reason && !replace(temporary, path)) {
        reason = reason_now();
    }
    *renamed_out = !reason;
    if (reason) {
        remove(temporary);
    }
    return reason ? fail_with(file, reason) : true;
}

void micai_file_discard(micai_file *file, const char *temporary)
{
    if (file->handle != MICAI_FILE_CLOSED) {
        micai_file_close(file);
        remove(temporary);
    }
}

void micai_file_close(micai_file *file)
{
    if (file->handle != MICAI_FILE_CLOSED) {
        fclose(stream_of(file));
        file->handle = MICAI_FILE_CLOSED;
    }
}

#endif

// strerror is not used: its text depends on the locale, and it is not thread-safe.
const char *micai_file_reason_text(int reason, char text[MICAI_FILE_REASON_SIZE])
{
    static const struct {
        int reason;
        const char *text;
    } known[] = {
        {REASON_FOLDER, "it is a folder"},
        {REASON_SPECIAL, "it is no ordinary file"},
        {ENOENT, "there is no such file or folder"},
        {EACCES, "permission is denied"},
        {EPERM, "it is not permitted"},
        {EEXIST, "all temporary names are taken"},
        {EISDIR, "it is a folder"},
        {ENOSPC, "the disk is full"},
        {EFBIG, "the file would be too large"},
        {EIO, "the device has failed"},
        {EMFILE, "too many files are open"},
        {ENFILE, "too many files are open"},
        {EROFS, "the file system is read-only"},
        {ENOTDIR, "a part of the path is no folder"},
        {ENAMETOOLONG, "the name is too long"},
        {EPIPE, "nobody reads it any more"},
#ifdef EDQUOT
        {EDQUOT, "the quota is used up"},
#endif
#ifdef ELOOP
        {ELOOP, "links lead in a circle"},
#endif
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].reason == reason) {
            return known[i].text;
        }
    }
    snprintf(text, MICAI_FILE_REASON_SIZE, "error %d of the system", reason);
    return text;
}
