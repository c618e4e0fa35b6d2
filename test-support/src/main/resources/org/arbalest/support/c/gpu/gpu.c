// SPDX-License-Identifier: Apache-2.0
/* Devices, their memory, and the functions for tests. */
#define _GNU_SOURCE
#include "gpu.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA (1ULL << 38) /* the addresses of each device's memory, each used only once */
#define MOST_FAULTS 8
#define MOST_FUNCTIONS 256

struct gpu_device {
  int ordinal;
  int died_of;
  uint64_t base;
  uint64_t next;
  uint64_t used;
  uint64_t forgotten; /* the part of it that an earlier test has left */
};

struct block {
  uint64_t address;
  size_t size;
  char* bytes;
  enum gpu_kind kind;
  gpu_device* device;
  gpu_give* give; /* frees bytes that ipc.c made */
  int attached;   /* another process's memory */
  int mapped;     /* explicitly, at a reserved address */
  unsigned let;   /* for such memory: the devices with access */
  const unsigned* pool_let; /* the devices with access to the memory's pool; NULL without a pool */
  int advised;    /* of managed memory: whether its use was advised */
  int freed;      /* a stream has a free of it */
  struct block* next;
};

struct fault {
  char name[48]; /* empty: any call */
  int64_t left;  /* the number of calls until the failure */
  int code;
  int lasts; /* all calls from that one on */
  int came;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static gpu_device devices[GPU_MOST_DEVICES];
static int device_count = 2;
static uint64_t device_memory = 1ULL << 30;
static int pools = 1;
static int reaches_pageable;
static struct block* blocks;
static struct fault faults[MOST_FAULTS];
static int64_t violations;
static char first_violation[256];
static int64_t live[LIVE_KINDS];
static int visible[GPU_MOST_DEVICES];
static int visible_count; /* 0: all are */

/* The number of calls of each function; entries are never removed. */
static struct { char name[48]; int64_t calls; } called[MOST_FUNCTIONS];
static __thread int64_t called_here[MOST_FUNCTIONS]; /* by the same thread */
static int64_t mapped;
static int managed_with_cpu = 1;
static int shifted;
static int frees;

static __thread int in_host_function;
static int64_t asked;
static int gone; /* the code of every call after the driver has ended */

void gpu_lock(void) { pthread_mutex_lock(&lock); }
void gpu_unlock(void) { pthread_mutex_unlock(&lock); }
void gpu_progress(void) { pthread_cond_broadcast(&progress); }
void gpu_wait_progress(void) { pthread_cond_wait(&progress, &lock); }
void gpu_counted(int what, int more) { live[what] += more; }

void gpu_violation(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (violations++ == 0) vsnprintf(first_violation, sizeof(first_violation), format, arguments);
  va_end(arguments);
}

void gpu_call_back(gpu_function* function, void* data) {
  in_host_function = 1;
  function(data);
  in_host_function = 0;
}

static void count_call(const char* name) {
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    if (called[i].name[0] == 0) snprintf(called[i].name, sizeof(called[i].name), "%s", name);
    if (strcmp(called[i].name, name) != 0) continue;
    called[i].calls++;
    called_here[i]++;
    return;
  }
  abort();
}

/* Frees that synchronise hold the driver's lock while they wait, and all other calls of the driver block. This was seen
   as a cuMemFree on the writer's side of a lock in libcuda for which cuMemcpyHtoDAsync of another thread waited
   (lupinemachines/lupine pull request 679, stacks of a server). It was also seen as a cudaFreeHost in one thread that
   stopped the collectives of others (NVIDIA/nccl issue 48; cutorch pull request 618 made its cache of pinned memory for
   that). That the free waits: CUDA 13's cuda.h, cuMemFree, "may perform implicit synchronization"; ai-dynamo/nixl pull
   request 965, a hang. HIP's frees wait for every stream, and each of these waits locks its stream: hip.c. No document
   names calls without the lock, so here all take it. */
void gpu_free_begins(void) {
  while (frees > 0) gpu_wait_progress();
  frees++;
}

void gpu_free_ends(void) {
  frees--;
  gpu_progress();
}

int gpu_call(const char* name, gpu_rule* rule) {
  __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
  int code = in_host_function ? rule(name) : GPU_OK;
  if (code != GPU_OK) return code;
  if (gone) return gone;
  gpu_lock();
  while (frees > 0) gpu_wait_progress();
  count_call(name);
  for (int i = 0; i < MOST_FAULTS; i++) {
    struct fault* fault = &faults[i];
    if (fault->left == 0 || (fault->name[0] && strcmp(fault->name, name) != 0)) continue;
    if (fault->left > 1) {
      fault->left--;
      continue;
    }
    code = fault->code;
    fault->came = 1;
    if (!fault->lasts) fault->left = 0;
  }
  gpu_unlock();
  return code;
}

int gpu_count(void) { return visible_count != 0 && visible_count < device_count ? visible_count : device_count; }
int gpu_physical(int ordinal) { return visible_count == 0 ? ordinal : visible[ordinal]; }
int gpu_ordinal(const gpu_device* device) { return device->ordinal; }
int gpu_status(const gpu_device* device) { return device->died_of; }
int gpu_has_pools(void) { return pools; }
int gpu_can_reach(const gpu_device* device, const gpu_device* peer) { return device->ordinal < peer->ordinal; }
static int driver_version = GPU_DRIVER_VERSION; /* set by the compiler's command line */
int gpu_driver_version(void) { return driver_version; }

/* Makes the driver report another version, with the same functions; 0 for its own. */
DOUBLE void double_driver_version(int version) { driver_version = version == 0 ? GPU_DRIVER_VERSION : version; }

int gpu_reaches_pageable(void) { return reaches_pageable; }
uint64_t gpu_total(void) { return device_memory; }

gpu_device* gpu_at(int ordinal) {
  if (ordinal < 0 || ordinal >= gpu_count()) return NULL;
  gpu_device* device = &devices[ordinal];
  gpu_lock();
  if (device->base == 0) {
    void* arena = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) abort();
    device->ordinal = ordinal;
    device->base = device->next = (uint64_t)arena;
  }
  gpu_unlock();
  return device;
}

void gpu_see(const char* list) {
  gpu_lock();
  visible_count = 0;
  for (const char* at = list; at != NULL && *at >= '0' && *at < '0' + GPU_MOST_DEVICES; at += at[1] == ',' ? 2 : 1) visible[visible_count++] = *at - '0';
  gpu_unlock();
}

uint64_t gpu_free_bytes(gpu_device* device) {
  uint64_t used = device->used > device->forgotten ? device->used - device->forgotten : 0;
  return device_memory > used ? device_memory - used : 0;
}

void gpu_die(gpu_device* device, int code) {
  if (device->died_of == 0) device->died_of = code;
  gpu_progress();
}

/* Locked: returns addresses that are used only once, with unused addresses around them. */
static uint64_t addresses(gpu_device* device, size_t size, uint64_t alignment) {
  uint64_t address = (device->next + alignment - 1) / alignment * alignment;
  device->next = address + (size + 255) / 256 * 256 + 256;
  if (device->next > device->base + ARENA) abort();
  return address;
}

int gpu_allocate(gpu_device* device, enum gpu_kind kind, size_t size, uint64_t* address) {
  if (size == 0) return GPU_INVALID_VALUE;
  gpu_lock();
  int counts = kind != GPU_PINNED; /* pinned memory is main memory, of which there is the same amount */
  uint64_t most = counts ? gpu_free_bytes(device) : device_memory;
  struct block* block = size > most ? NULL : calloc(1, sizeof(struct block));
  if (block == NULL) {
    gpu_unlock();
    return GPU_OUT_OF_MEMORY;
  }
  mapped += kind == GPU_DEVICE;
  if (kind == GPU_DEVICE) {
    block->bytes = malloc(size);
    block->address = addresses(device, size, 256);
  } else {
    block->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block->address = (uint64_t)block->bytes;
  }
  if (block->bytes == NULL || block->bytes == MAP_FAILED) abort();
  memset(block->bytes, 0xA5, size); /* see gpu_poison */
  block->size = size;
  block->kind = kind;
  block->device = device;
  block->next = blocks;
  blocks = block;
  if (counts) device->used += size;
  gpu_counted(kind - GPU_DEVICE + LIVE_DEVICE, 1);
  *address = block->address;
  gpu_unlock();
  return GPU_OK;
}

int gpu_release_locked(uint64_t address, enum gpu_kind kind) {
  for (struct block** at = &blocks; *at != NULL; at = &(*at)->next) {
    struct block* block = *at;
    if (block->address != address) continue;
    if (block->attached || block->mapped || (block->kind != kind && !(kind == GPU_DEVICE && block->kind == GPU_MANAGED))) break;
    *at = block->next;
    if (block->kind == GPU_DEVICE || block->kind == GPU_MANAGED) block->device->used -= block->size;
    gpu_counted(block->kind == GPU_REGISTERED ? LIVE_REGISTERED : block->kind - GPU_DEVICE + LIVE_DEVICE, -1);
    if (block->give != NULL) {
      block->give(block->bytes, block->size);
    } else if (block->kind == GPU_DEVICE) {
      free(block->bytes);
    } else if (block->kind != GPU_REGISTERED) {
      munmap(block->bytes, block->size);
    }
    free(block);
    return GPU_OK;
  }
  if (kind == GPU_REGISTERED) return GPU_NOT_REGISTERED;
  gpu_violation("0x%llx was freed, which is not allocated", (unsigned long long)address);
  return GPU_INVALID_VALUE;
}

static struct block* find(uint64_t address) {
  for (struct block* block = blocks; block != NULL; block = block->next) {
    if (address >= block->address && address < block->address + block->size) return block;
  }
  return NULL;
}

/*
 * "After this API returns, accessing the memory from any subsequent work launched on the GPU or querying its pointer
 * attributes results in undefined behavior" (cuda.h, cuMemFreeAsync; hip_runtime_api.h, hipFreeAsync).
 */
static struct block* named(uint64_t address) {
  struct block* block = find(address);
  if (block != NULL && block->freed) gpu_violation("0x%llx was named in a call after the call that frees it in a stream's order", (unsigned long long)address);
  return block;
}

void gpu_mark_freed(uint64_t address, int is_freed) {
  struct block* block = find(address);
  if (block == NULL || block->address != address) return;
  if (block->freed && is_freed) gpu_violation("0x%llx was freed twice", (unsigned long long)address);
  block->freed = is_freed;
}

void gpu_poison(uint64_t address, size_t size) {
  struct block* block = find(address);
  if (block != NULL) memset(block->bytes, 0xA5, size);
}

int gpu_is_of_pool(uint64_t address, size_t size, const unsigned* pool_let) {
  struct block* block = find(address);
  return block != NULL && block->address == address && block->size == size && block->pool_let == pool_let;
}

static int in_arena(uint64_t address) {
  for (int i = 0; i < GPU_MOST_DEVICES; i++) {
    if (devices[i].base != 0 && address >= devices[i].base && address < devices[i].base + ARENA) return 1;
  }
  return 0;
}

/* Returns whether all mappings of a range can be written; a range that no table lists counts as writable. */
static int is_writable(uint64_t address, size_t size) {
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return 1;
  char line[4352];
  int writable = 1;
  while (writable && fgets(line, sizeof(line), maps) != NULL) {
    unsigned long from, to;
    char read, write;
    if (sscanf(line, "%lx-%lx %c%c", &from, &to, &read, &write) != 4) continue;
    if (from < address + size && address < to) writable = write == 'w';
  }
  fclose(maps);
  return writable;
}

/* Pages that the CPU cannot write need the flag READ_ONLY (cuda.h, CU_MEMHOSTREGISTER_READ_ONLY). HIP has the flag as
   well; that it needs it is an assumption. */
/* Pages that are registered, or that the driver allocated, cannot be registered again. */
int gpu_register(gpu_device* device, uint64_t address, size_t size) {
  if (size == 0 || address == 0 || !is_writable(address, size)) return GPU_INVALID_VALUE;
  gpu_lock();
  int code = in_arena(address) ? GPU_INVALID_VALUE : GPU_OK;
  for (struct block* block = blocks; block != NULL && code == GPU_OK; block = block->next) {
    if (address < block->address + block->size && block->address < address + size) code = GPU_ALREADY_REGISTERED;
  }
  struct block* block = code == GPU_OK ? calloc(1, sizeof(struct block)) : NULL;
  if (block != NULL) {
    *block = (struct block){.address = address, .size = size, .bytes = (char*)address, .kind = GPU_REGISTERED, .device = device, .next = blocks};
    blocks = block;
    gpu_counted(LIVE_REGISTERED, 1);
  }
  gpu_unlock();
  return code;
}

uint64_t gpu_start_of(uint64_t address) {
  gpu_lock();
  struct block* block = named(address);
  uint64_t start = block == NULL ? 0 : block->address;
  gpu_unlock();
  return start;
}

size_t gpu_size_of(uint64_t address) {
  gpu_lock();
  struct block* block = find(address);
  size_t size = block == NULL ? 0 : block->size;
  gpu_unlock();
  return size;
}

int gpu_is_registered(uint64_t address) {
  gpu_lock();
  struct block* block = find(address);
  int is = block != NULL && block->kind == GPU_REGISTERED;
  gpu_unlock();
  return is;
}

int gpu_is_managed(uint64_t address, size_t size) {
  gpu_lock();
  struct block* block = find(address);
  int is = block != NULL && block->kind == GPU_MANAGED && address + size <= block->address + block->size;
  gpu_unlock();
  return is;
}

/*
 * Advice stays with the memory until the memory is freed. Undoing it does not restore the initial state:
 * "UNSET_READ_MOSTLY: Undoes the effect of SET_READ_MOSTLY and also prevents the Unified Memory driver from attempting
 * heuristic read-duplication on the memory range" (cuda.h).
 */
void gpu_advise(uint64_t address) {
  gpu_lock();
  struct block* block = find(address);
  if (block != NULL) block->advised = 1;
  gpu_unlock();
}

/* Returns whether the memory's next owner would inherit another owner's advice. */
DOUBLE int double_advised(uint64_t address) {
  gpu_lock();
  struct block* block = find(address);
  int advised = block != NULL && block->advised;
  gpu_unlock();
  return advised;
}

enum gpu_kind gpu_kind_of(uint64_t address, int* ordinal) {
  gpu_lock();
  struct block* block = named(address);
  enum gpu_kind kind = block != NULL ? block->kind : in_arena(address) ? GPU_DEVICE : GPU_PAGEABLE;
  if (kind == GPU_REGISTERED) kind = GPU_PINNED;
  if (ordinal != NULL && block != NULL) *ordinal = block->device->ordinal;
  gpu_unlock();
  return kind;
}

int gpu_range(uint64_t address, uint64_t* base, size_t* size, gpu_device** device) {
  gpu_lock();
  struct block* block = named(address);
  int is_device = block != NULL && block->kind == GPU_DEVICE;
  if (is_device) {
    *base = block->address;
    *size = block->size;
    *device = block->device;
  }
  gpu_unlock();
  return is_device;
}

void gpu_replace(uint64_t base, void* bytes, gpu_give* give) {
  gpu_lock();
  struct block* block = find(base);
  memset(bytes, 0xA5, block->size);
  free(block->bytes);
  block->bytes = bytes;
  block->give = give;
  gpu_unlock();
}

uint64_t gpu_attach(gpu_device* device, void* bytes, size_t size, gpu_give* give) {
  struct block* block = calloc(1, sizeof(struct block));
  if (block == NULL) abort();
  gpu_lock();
  uint64_t address = addresses(device, size, 256);
  *block = (struct block){.address = address, .size = size, .bytes = bytes, .kind = GPU_DEVICE, .device = device, .give = give, .attached = 1, .next = blocks};
  blocks = block;
  gpu_counted(LIVE_OPENED, 1);
  gpu_unlock();
  return block->address;
}

int gpu_detach(uint64_t base) {
  int code = GPU_INVALID_VALUE;
  gpu_lock();
  for (struct block** at = &blocks; *at != NULL; at = &(*at)->next) {
    struct block* block = *at;
    if (block->address != base || !block->attached) continue;
    *at = block->next;
    block->give(block->bytes, block->size);
    free(block);
    gpu_counted(LIVE_OPENED, -1);
    code = GPU_OK;
    break;
  }
  gpu_unlock();
  return code;
}

int gpu_is_attached(uint64_t address) {
  gpu_lock();
  struct block* block = find(address);
  int attached = block != NULL && block->attached;
  gpu_unlock();
  return attached;
}

int gpu_take(gpu_device* device, size_t size) {
  gpu_lock();
  int is_there = size <= gpu_free_bytes(device);
  if (is_there) {
    device->used += size;
    mapped++;
    gpu_counted(LIVE_DEVICE, 1);
  }
  gpu_unlock();
  return is_there ? GPU_OK : GPU_OUT_OF_MEMORY;
}

void gpu_give_back(gpu_device* device, size_t size) {
  device->used -= size;
  gpu_counted(LIVE_DEVICE, -1);
}

uint64_t gpu_reserve(gpu_device* device, size_t size) {
  gpu_lock();
  uint64_t left = device->base + ARENA - device->next;
  uint64_t address = size < left / 8 ? addresses(device, size, 2 << 20) : 0;
  gpu_unlock();
  return address;
}

void gpu_unreserve(gpu_device* device, uint64_t address, size_t size) {
  if (device->next == address + size + 256) device->next = address;
}

void gpu_map(gpu_device* device, uint64_t address, void* bytes, size_t size) {
  struct block* block = calloc(1, sizeof(struct block));
  if (block == NULL) abort();
  *block = (struct block){.address = address, .size = size, .bytes = bytes, .kind = GPU_DEVICE, .device = device, .mapped = 1, .next = blocks};
  blocks = block;
}

int gpu_unmap(uint64_t address) {
  for (struct block** at = &blocks; *at != NULL; at = &(*at)->next) {
    struct block* block = *at;
    if (block->address != address || !block->mapped) continue;
    *at = block->next;
    free(block);
    return GPU_OK;
  }
  return GPU_INVALID_VALUE;
}

int gpu_let(uint64_t address, int ordinal) {
  struct block* block = find(address);
  if (block == NULL || !block->mapped) return GPU_INVALID_VALUE;
  block->let |= 1U << ordinal;
  return GPU_OK;
}

int gpu_is_let(uint64_t address, int ordinal) {
  gpu_lock();
  struct block* block = find(address);
  int is = block == NULL || !block->mapped ? -1 : (int)(block->let >> ordinal & 1U);
  gpu_unlock();
  return is;
}

int gpu_is_let_by_pool(uint64_t address, int ordinal) {
  gpu_lock();
  struct block* block = find(address);
  int is = block == NULL || block->pool_let == NULL ? -1 : (int)(*block->pool_let >> ordinal & 1U);
  gpu_unlock();
  return is;
}

void gpu_let_as(uint64_t address, const unsigned* pool_let) {
  gpu_lock();
  struct block* block = find(address);
  if (block != NULL) block->pool_let = pool_let;
  gpu_unlock();
}

const unsigned* gpu_pool_let_of(uint64_t address) {
  gpu_lock();
  struct block* block = find(address);
  const unsigned* pool_let = block == NULL ? NULL : block->pool_let;
  gpu_unlock();
  return pool_let;
}

int gpu_is_pool_used(const unsigned* pool_let) {
  for (struct block* block = blocks; block != NULL; block = block->next) {
    if (block->pool_let == pool_let) return 1;
  }
  return 0;
}

void* gpu_resolve(uint64_t address, size_t size, const char* what) {
  struct block* block = find(address);
  if (block == NULL && !in_arena(address)) return (void*)address;
  if (block != NULL && address + size <= block->address + block->size) return block->bytes + (address - block->address);
  gpu_violation("%s %zu bytes at 0x%llx, which are not allocated", what, size, (unsigned long long)address);
  return NULL;
}

/* Forgets faults and violations, revives the devices, and sets their number and memory. Call it only while nothing is
   allocated or queued. */
DOUBLE void double_reset(int count, int64_t memory, int has_pools) {
  gpu_lock();
  device_count = count;
  device_memory = (uint64_t)memory;
  pools = has_pools;
  managed_with_cpu = 1;
  shifted = 0;
  memset(faults, 0, sizeof(faults));
  violations = 0;
  first_violation[0] = 0;
  gone = 0;
  for (int i = 0; i < GPU_MOST_DEVICES; i++) devices[i].died_of = 0;
  gpu_unlock();
}

/* Forgets the remains of tests, if there are any: all present allocations. They take no memory from later tests. */
DOUBLE void double_forget_memory(int any) {
  gpu_lock();
  for (int i = 0; i < GPU_MOST_DEVICES; i++) devices[i].forgotten = any ? devices[i].used : 0;
  gpu_unlock();
}

static void fail(const char* name, int64_t nth, int code, int lasts) {
  gpu_lock();
  for (int i = 0; i < MOST_FAULTS; i++) {
    if (faults[i].left != 0) continue;
    snprintf(faults[i].name, sizeof(faults[i].name), "%s", name);
    faults[i].left = nth;
    faults[i].code = code;
    faults[i].lasts = lasts;
    faults[i].came = 0;
    break;
  }
  gpu_unlock();
}

/* Makes the nth call of a function from now on fail; of any function, if the name is empty. */
DOUBLE void double_fail(const char* name, int64_t nth, int code) { fail(name, nth, code, 0); }

/* Likewise, with all later calls, until double_fail_nothing. */
DOUBLE void double_fail_from(const char* name, int64_t nth, int code) { fail(name, nth, code, 1); }

/* Removes faults that have not occurred; returns their number. */
DOUBLE int double_fail_nothing(void) {
  int pending = 0;
  gpu_lock();
  for (int i = 0; i < MOST_FAULTS; i++) pending += faults[i].left != 0 && !faults[i].came;
  memset(faults, 0, sizeof(faults));
  gpu_unlock();
  return pending;
}

/* Simulates a kernel that reads an invalid address: all calls fail from now on, and queued work is dropped. CUDA's
   error is sticky ("any further CUDA work will return the same error. To continue using CUDA, the process must be
   terminated and relaunched", CUresult, CUDA_ERROR_ILLEGAL_ADDRESS): each query of an event, and each wait for one,
   returns it, and nothing else completes. Only the simulator has a way to continue, double_reset, which must be called
   when nothing is queued. A dropped event is not recorded later, and a stream of a live device that waits for it would
   wait forever. */
DOUBLE void double_die(int ordinal, int code) {
  gpu_device* device = gpu_at(ordinal);
  gpu_lock();
  gpu_die(device, code);
  gpu_unlock();
}

/* Returns the number of calls of a function since the process began; for an empty name, of all functions. */
DOUBLE int64_t double_calls(const char* name) {
  int64_t calls = 0;
  gpu_lock();
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    if (name[0] == 0 || strcmp(called[i].name, name) == 0) calls += called[i].calls;
  }
  gpu_unlock();
  return calls;
}

/* Likewise, for the calling thread. */
DOUBLE int64_t double_calls_here(const char* name) {
  int64_t calls = 0;
  gpu_lock();
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    if (name[0] == 0 || strcmp(called[i].name, name) == 0) calls += called_here[i];
  }
  gpu_unlock();
  return calls;
}

/* Sets whether devices access all of main memory by the CPU's page tables, like a GH200; before the runtime is queried
   about its devices. */
DOUBLE void double_reach_pageable(int reaches) { reaches_pageable = reaches; }

/* Simulates the end of a process, after the driver's own destructors: every call returns "the CUDA driver is in the
   process of shutting down" (cuda.h, CUDA_ERROR_DEINITIALIZED). Until the next double_reset. */
DOUBLE void double_deinitialize(void) {
  gone = GPU_DEINITIALIZED;
  asked = 0;
}

/* Returns the number of calls; after double_deinitialize, the number since then. */
DOUBLE int64_t double_asked(void) { return __atomic_load_n(&asked, __ATOMIC_RELAXED); }

DOUBLE int64_t double_live(int what) { return live[what]; }

/* Returns how often the driver itself allocated device memory, which is slow; allocations from a cache are not
   counted. */
DOUBLE int64_t double_mapped(void) { return mapped; }

/* Returns the number of threads that wait in a free, and block the others. */
DOUBLE int double_freeing(void) { return frees; }

/* Sets whether the CPU may access managed memory while the GPU works. */
DOUBLE void double_managed_with_cpu(int may) { managed_with_cpu = may; }
int gpu_managed_with_cpu(void) { return managed_with_cpu; }

/* Sets whether GPUs have registered memory at other addresses than the CPU, as both interfaces permit. */
DOUBLE void double_shifted(int is_shifted) { shifted = is_shifted; }
int gpu_shifted(void) { return shifted; }
DOUBLE int64_t double_violations(void) { return violations; }
DOUBLE const char* double_violation(void) { return first_violation; }

/* Returns the memory behind a device's address, for a function that simulates a kernel. */
DOUBLE void* double_at(uint64_t address) {
  gpu_lock();
  void* bytes = gpu_resolve(address, 1, "a kernel used");
  gpu_unlock();
  return bytes;
}
