// Threads of the system: POSIX, Windows, or none. thread.h has the contract.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
// NOLINTNEXTLINE(bugprone-reserved-identifier): POSIX defines this name
#define _POSIX_C_SOURCE 200809L // for nanosleep and sysconf
#endif

#include "base/thread.h"

#ifdef MICAI_TEST_SMALL_PAGES
uint32_t micai_threads_left = UINT32_MAX;
#define MAY_START() (micai_threads_left > 0 && micai_threads_left--)
#else
#define MAY_START() true
#endif

#if !MICAI_THREADS

bool micai_threads_exist(void)
{
    return false;
}

uint32_t micai_threads_count_cores(void)
{
    return 1;
}

bool micai_thread_start(micai_thread *thread)
{
    (void)thread;
    return false;
}

void micai_thread_join(micai_thread *thread)
{
    (void)thread;
}

void micai_thread_sleep(uint32_t microseconds)
{
    (void)microseconds;
}

void micai_thread_yield(void) {}

bool micai_lock_open(micai_lock *lock)
{
    (void)lock;
    return true;
}

void micai_lock_close(micai_lock *lock)
{
    (void)lock;
}

void micai_lock_take(micai_lock *lock)
{
    (void)lock;
}

void micai_lock_leave(micai_lock *lock)
{
    (void)lock;
}

void micai_lock_wait(micai_lock *lock)
{
    (void)lock;
}

void micai_lock_wake(micai_lock *lock)
{
    (void)lock;
}

#elif defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

_Static_assert(sizeof(SRWLOCK) == sizeof(void *) && sizeof(CONDITION_VARIABLE) == sizeof(void *),
               "a lock has their size");

bool micai_threads_exist(void)
{
    return true;
}

uint32_t micai_threads_count_cores(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (uint32_t)info.dwNumberOfProcessors : 1;
}

static DWORD WINAPI begin(void *data)
{
    const micai_thread *thread = data;
    thread->run(thread->data);
    return 0;
}

bool micai_thread_start(micai_thread *thread)
{
    thread->id = !MAY_START() ? NULL : CreateThread(NULL, 0, begin, thread, 0, NULL);
    return thread->id != NULL;
}

void micai_thread_join(micai_thread *thread)
{
    WaitForSingleObject(thread->id, INFINITE);
    CloseHandle(thread->id);
}

void micai_thread_sleep(uint32_t microseconds)
{
    Sleep((microseconds + 999) / 1000);
}

void micai_thread_yield(void)
{
    (void)SwitchToThread();
}

bool micai_lock_open(micai_lock *lock)
{
    InitializeSRWLock((SRWLOCK *)&lock->mutex);
    InitializeConditionVariable((CONDITION_VARIABLE *)&lock->condition);
    return true;
}

void micai_lock_close(micai_lock *lock)
{
    (void)lock;
}

void micai_lock_take(micai_lock *lock)
{
    AcquireSRWLockExclusive((SRWLOCK *)&lock->mutex);
}

void micai_lock_leave(micai_lock *lock)
{
    ReleaseSRWLockExclusive((SRWLOCK *)&lock->mutex);
}

void micai_lock_wait(micai_lock *lock)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)&lock->condition, (SRWLOCK *)&lock->mutex,
                              INFINITE, 0);
}

void micai_lock_wake(micai_lock *lock)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)&lock->condition);
}

#else

#include <sched.h>
#include <time.h>
#include <unistd.h>

bool micai_threads_exist(void)
{
    return true;
}

uint32_t micai_threads_count_cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

static void *begin(void *data)
{
    const micai_thread *thread = data;
    thread->run(thread->data);
    return NULL;
}

bool micai_thread_start(micai_thread *thread)
{
    return MAY_START() && pthread_create(&thread->id, NULL, begin, thread) == 0;
}

void micai_thread_join(micai_thread *thread)
{
    (void)pthread_join(thread->id, NULL);
}

void micai_thread_sleep(uint32_t microseconds)
{
    const struct timespec time = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
    (void)nanosleep(&time, NULL);
}

void micai_thread_yield(void)
{
    (void)sched_yield();
}

bool micai_lock_open(micai_lock *lock)
{
    if (pthread_mutex_init(&lock->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&lock->condition, NULL) != 0) {
        (void)pthread_mutex_destroy(&lock->mutex);
        return false;
    }
    return true;
}

void micai_lock_close(micai_lock *lock)
{
    (void)pthread_cond_destroy(&lock->condition);
    (void)pthread_mutex_destroy(&lock->mutex);
}

void micai_lock_take(micai_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
}

void micai_lock_leave(micai_lock *lock)
{
    (void)pthread_mutex_unlock(&lock->mutex);
}

void micai_lock_wait(micai_lock *lock)
{
    (void)pthread_cond_wait(&lock->condition, &lock->mutex);
}

void micai_lock_wake(micai_lock *lock)
{
    (void)pthread_cond_broadcast(&lock->condition);
}

#endif
