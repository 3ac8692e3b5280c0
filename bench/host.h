// What the bench needs of the machine: a clock, aligned memory, and how much of it is resident.
//
// Called by harness.c and the scenario files. Only host.c knows which system this is.
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include <stddef.h>
#include <stdint.h>

// Makes memory behave as in a process that has just started: every big block comes from the system
// and goes back to it, however many were freed before. Call once, first.
void bench_host_begin(void);

// Nanoseconds since some moment; never runs backwards.
uint64_t bench_now_ns(void);

// Gives free memory back to the system, so that the next blocks are new, as far as it can be asked.
void bench_trim(void);

// Bytes of this process that are in memory now; 0 where the system does not say.
size_t bench_resident_size(void);

// 64-byte aligned memory, for arrays that do not grow. Never NULL: prints and exits if there is
// none. The bytes are not touched; bench_alloc_touched() writes every one, so that no page of it is
// first met inside a measurement.
void *bench_alloc(size_t size);
void *bench_alloc_touched(size_t size);
void bench_free(void *block);

// Memory for arrays that grow, aligned as malloc() does. A big block grows without being copied.
// bench_resize(NULL, size) is a new one; bench_drop() frees it.
void *bench_resize(void *block, size_t size);
void bench_drop(void *block);

#endif
