// The machine, for the bench. See host.h.
#define _POSIX_C_SOURCE 200809L // clock_gettime, sysconf

#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef _WIN32
#include <malloc.h>
#endif
#ifdef __linux__
#include <unistd.h>
#endif

enum { ALIGNMENT = 64, MAP_THRESHOLD = 128 * 1024 };

void bench_host_begin(void)
{
#ifdef __GLIBC__
    // These are the values a process starts with. Left alone, glibc raises them when big blocks are
    // freed, and what is to be measured on new memory gets used pages instead.
    mallopt(M_MMAP_THRESHOLD, MAP_THRESHOLD);
    mallopt(M_TRIM_THRESHOLD, MAP_THRESHOLD);
#endif
}

uint64_t bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void bench_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

size_t bench_resident_size(void)
{
    size_t pages = 0;
#ifdef __linux__
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) {
        return 0;
    }
    if (fscanf(file, "%*u %zu", &pages) != 1) {
        pages = 0;
    }
    fclose(file);
    pages *= (size_t)sysconf(_SC_PAGESIZE);
#endif
    return pages;
}

static void *require(void *block, size_t size)
{
    if (block == NULL) {
        fprintf(stderr, "mica_bench: no memory for %zu bytes\n", size);
        exit(1);
    }
    return block;
}

void *bench_alloc(size_t size)
{
    size_t rounded = (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT; // never 0
#ifdef _WIN32
    return require(_aligned_malloc(rounded, ALIGNMENT), rounded);
#else
    return require(aligned_alloc(ALIGNMENT, rounded), rounded);
#endif
}

void *bench_alloc_touched(size_t size)
{
    // Not zero: filling with zero could become a calloc(), which touches nothing.
    return memset(bench_alloc(size), 0xff, size);
}

void bench_free(void *block)
{
#ifdef _WIN32
    _aligned_free(block);
#else
    free(block);
#endif
}

void *bench_resize(void *block, size_t size)
{
    return require(realloc(block, size), size);
}

void bench_drop(void *block)
{
    free(block);
}
