/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declarations of the C library for SmallCompiler, with the numbers of 64-bit Linux on x86-64. The first lines of
 * each unit; the headers that a unit includes in angle brackets add nothing.
 */
#define NULL ((void*)0)
#define offsetof __builtin_offsetof

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX UINT64_MAX

/* stdarg.h, stdatomic.h */
typedef struct {
  unsigned integers, vectors;
  void *stack, *saved;
} va_list[1];
#define va_start(list, last) __builtin_va_start(list)
#define va_end(list) ((void)0)
typedef _Atomic int atomic_int;
typedef _Atomic long atomic_long;
typedef _Atomic long long atomic_llong;
#define __ATOMIC_RELAXED 0
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#define atomic_load(at) __atomic_load_n(at, 5)
#define atomic_store(at, value) __atomic_store_n(at, value, 5)
#define atomic_exchange(at, value) __atomic_exchange_n(at, value, 5)
#define atomic_fetch_add(at, value) __atomic_fetch_add(at, value, 5)
#define atomic_fetch_sub(at, value) __atomic_fetch_sub(at, value, 5)

/* errno.h */
int* __errno_location(void);
#define errno (*__errno_location())
#define ENOENT 2
#define EIO 5
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ENOSYS 38
#define ETIMEDOUT 110
#define ECANCELED 125

/* stdlib.h */
void* malloc(size_t);
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void free(void*);
void abort(void);
void exit(int);
void _exit(int);
char* getenv(const char*);
int setenv(const char*, const char*, int);
int atoi(const char*);
long long atoll(const char*);
long strtol(const char*, char**, int);
int rand_r(unsigned*);
int __cxa_atexit(void (*)(void*), void*, void*);
#define atexit(function) __cxa_atexit((void (*)(void*))(function), NULL, NULL)

/* string.h, strings.h */
void* memcpy(void*, const void*, size_t);
void* memmove(void*, const void*, size_t);
void* memset(void*, int, size_t);
int memcmp(const void*, const void*, size_t);
size_t strlen(const char*);
int strcmp(const char*, const char*);
int strncmp(const char*, const char*, size_t);
int strncasecmp(const char*, const char*, size_t);
char* strcpy(char*, const char*);
char* strncpy(char*, const char*, size_t);
char* strcat(char*, const char*);
char* strchr(const char*, int);
char* strstr(const char*, const char*);
size_t strspn(const char*, const char*);
size_t strcspn(const char*, const char*);
char* strdup(const char*);
char* strerror(int);

/* stdio.h */
typedef struct file FILE;
int printf(const char*, ...);
int sprintf(char*, const char*, ...);
int snprintf(char*, size_t, const char*, ...);
int vsnprintf(char*, size_t, const char*, va_list);
int dprintf(int, const char*, ...);
int sscanf(const char*, const char*, ...);
int fscanf(FILE*, const char*, ...);
FILE* fopen(const char*, const char*);
char* fgets(char*, int, FILE*);
int fclose(FILE*);
int puts(const char*);

/* pthread.h */
typedef unsigned long pthread_t;
typedef struct {
  long words[5];
} pthread_mutex_t;
typedef struct {
  long words[6];
} pthread_cond_t;
typedef struct {
  long words[4];
} pthread_barrier_t;
typedef int pthread_once_t;
typedef unsigned pthread_key_t;
struct timespec {
  long tv_sec, tv_nsec;
};
#define PTHREAD_MUTEX_INITIALIZER {{0}}
#define PTHREAD_COND_INITIALIZER {{0}}
#define PTHREAD_ONCE_INIT 0
int pthread_create(pthread_t*, const void*, void* (*)(void*), void*);
int pthread_join(pthread_t, void**);
int pthread_timedjoin_np(pthread_t, void**, const struct timespec*);
int pthread_detach(pthread_t);
pthread_t pthread_self(void);
int pthread_equal(pthread_t, pthread_t);
int pthread_once(pthread_once_t*, void (*)(void));
int pthread_mutex_init(pthread_mutex_t*, const void*);
int pthread_mutex_destroy(pthread_mutex_t*);
int pthread_mutex_lock(pthread_mutex_t*);
int pthread_mutex_unlock(pthread_mutex_t*);
int pthread_cond_init(pthread_cond_t*, const void*);
int pthread_cond_destroy(pthread_cond_t*);
int pthread_cond_wait(pthread_cond_t*, pthread_mutex_t*);
int pthread_cond_timedwait(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
int pthread_cond_signal(pthread_cond_t*);
int pthread_cond_broadcast(pthread_cond_t*);
int pthread_barrier_init(pthread_barrier_t*, const void*, unsigned);
int pthread_barrier_wait(pthread_barrier_t*);
int pthread_barrier_destroy(pthread_barrier_t*);
int pthread_key_create(pthread_key_t*, void (*)(void*));
void* pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void*);

/* time.h, signal.h */
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define SIGKILL 9
int clock_gettime(int, struct timespec*);
int nanosleep(const struct timespec*, struct timespec*);

/* unistd.h, fcntl.h, sys/mman.h, sys/stat.h, dlfcn.h */
#define STDOUT_FILENO 1
#define _SC_PAGESIZE 30
#define O_RDWR 2
#define O_CLOEXEC 02000000
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_NORESERVE 0x4000
#define MAP_FAILED ((void*)-1)
#define MFD_CLOEXEC 1U
#define AT_EMPTY_PATH 0x1000
#define STATX_INO 0x100U
#define STATX_SIZE 0x200U
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_LOCAL 0
#define RTLD_DEFAULT NULL
struct statx {
  char before[32];
  uint64_t stx_ino, stx_size;
  char after[208];
};
pid_t getpid(void);
long sysconf(int);
int usleep(unsigned);
ssize_t write(int, const void*, size_t);
int open(const char*, int, ...);
int close(int);
int ftruncate(int, off_t);
int memfd_create(const char*, unsigned);
int statx(int, const char*, int, unsigned, struct statx*);
void* mmap(void*, size_t, int, int, int, off_t);
int munmap(void*, size_t);
int mprotect(void*, size_t, int);
void* dlopen(const char*, int);
void* dlsym(void*, const char*);
