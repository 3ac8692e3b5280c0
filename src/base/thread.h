// Threads: start and join them, and a lock with a condition.
//
// Room:    base. Called by system/ (workers). Counters that threads share are micai_shared.
//
// Without threads (MICA_NO_THREADS, wasm), micai_threads_exist() is false, no thread starts, and locks do
// nothing.
#ifndef MICAI_BASE_THREAD_H
#define MICAI_BASE_THREAD_H

#include <mica/api.h>

#if defined(MICA_NO_THREADS) || defined(__wasm__)
#define MICAI_THREADS 0
#elif defined(_WIN32)
#define MICAI_THREADS 1
#else
#define MICAI_THREADS 1
#include <pthread.h>
#endif

// A number that threads share. All accesses are sequentially consistent.
#if MICAI_THREADS && defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
typedef struct micai_shared {
    volatile long value;
} micai_shared;

static inline uint32_t micai_shared_get(micai_shared *shared)
{
    return (uint32_t)_InterlockedOr(&shared->value, 0);
}

static inline void micai_shared_set(micai_shared *shared, uint32_t value)
{
    (void)_InterlockedExchange(&shared->value, (long)value);
}

// Returns the value before.
static inline uint32_t micai_shared_add(micai_shared *shared, uint32_t by)
{
    return (uint32_t)_InterlockedExchangeAdd(&shared->value, (long)by);
}
#else
typedef struct micai_shared {
    uint32_t value;
} micai_shared;

static inline uint32_t micai_shared_get(const micai_shared *shared)
{
    return __atomic_load_n(&shared->value, __ATOMIC_SEQ_CST);
}

static inline void micai_shared_set(micai_shared *shared, uint32_t value)
{
    __atomic_store_n(&shared->value, value, __ATOMIC_SEQ_CST);
}

// Returns the value before.
static inline uint32_t micai_shared_add(micai_shared *shared, uint32_t by)
{
    return __atomic_fetch_add(&shared->value, by, __ATOMIC_SEQ_CST);
}
#endif

// Tells the processor that the thread only waits.
static inline void micai_thread_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ __volatile__("yield");
#endif
}

typedef struct micai_thread {
    void (*run)(void *data);
    void *data;
#if MICAI_THREADS && !defined(_WIN32)
    pthread_t id;
#else
    void *id;
#endif
} micai_thread;

// A lock, and a condition to wait for while holding it.
typedef struct micai_lock {
#if MICAI_THREADS && !defined(_WIN32)
    pthread_mutex_t mutex;
    pthread_cond_t condition;
#else
    void *mutex; // of the size of the system's
    void *condition;
#endif
} micai_lock;

// Returns true if this library can start threads.
bool micai_threads_exist(void);

// Returns the number of processors, at least 1.
uint32_t micai_threads_count_cores(void);

#ifdef MICAI_TEST_SMALL_PAGES
// For tests: after as many threads, the system seems to refuse.
extern uint32_t micai_threads_left;
#endif

// Starts a thread that calls `run` with `data`. Both must be set, and the thread must stay where it is until it is
// joined. Returns false if the system refuses.
bool micai_thread_start(micai_thread *thread);
void micai_thread_join(micai_thread *thread);
void micai_thread_sleep(uint32_t microseconds);
void micai_thread_yield(void); // lets others run

bool micai_lock_open(micai_lock *lock);
void micai_lock_close(micai_lock *lock);
void micai_lock_take(micai_lock *lock);
void micai_lock_leave(micai_lock *lock);
// Waits until micai_lock_wake(), or wakes up for nothing. The caller holds the lock.
void micai_lock_wait(micai_lock *lock);
void micai_lock_wake(micai_lock *lock); // all that wait

#endif
