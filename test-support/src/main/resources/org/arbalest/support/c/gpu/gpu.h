/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulator of a GPU's runtime, for tests: devices and their memory, and on them streams and events (queue.h). cuda.c
 * adds libcuda's functions, hip.c those of libamdhip64.
 *
 * Work that is asynchronous on a GPU is asynchronous here, by a thread for each stream; actions that a GPU cannot do
 * are not done. A device's memory has addresses that no code can read directly. Actions that are undefined behaviour
 * with a real driver are recorded as violations.
 *
 * gpu.c owns the devices, the memory, the lock and the counters. queue.c owns the streams and events, and uses gpu.c
 * and exit.c. ipc.c shares memory and events with other processes, and uses both. vmm.c, for CUDA only, uses these.
 * cuda.c and hip.c use all of them, but not each other. gpu.c uses none of them: a runtime passes it the codes that it
 * returns.
 *
 * Included by: gpu.c exit.c trouble.c queue.h capture.h
 */
#ifndef ARBALEST_GPU_H
#define ARBALEST_GPU_H

#include <stddef.h>
#include <stdint.h>

#define DOUBLE __attribute__((visibility("default"))) /* the functions for tests */
#define API __attribute__((visibility("default")))    /* the exports of the simulated runtime */

#pragma GCC visibility push(hidden)

/* The codes that CUDA and HIP share. */
enum {
  GPU_OK = 0,
  GPU_INVALID_VALUE = 1,
  GPU_OUT_OF_MEMORY = 2,
  GPU_NOT_INITIALIZED = 3,
  GPU_DEINITIALIZED = 4,
  GPU_INVALID_DEVICE_POINTER = 17, /* of HIP */
  GPU_NO_DEVICE = 100,
  GPU_INVALID_DEVICE = 101,
  GPU_NO_CONTEXT = 201,
  GPU_MAP_FAILED = 205,
  GPU_ALREADY_MAPPED = 208,
  GPU_NO_PEER_ACCESS = 217,
  GPU_INVALID_HANDLE = 400,
  GPU_NOT_FOUND = 500,
  GPU_NOT_READY = 600,
  GPU_ILLEGAL_ADDRESS = 700,
  GPU_PEER_ALREADY_ENABLED = 704,
  GPU_TOO_MANY_PEERS = 711, /* of CUDA */
  GPU_ALREADY_REGISTERED = 712,
  GPU_NOT_REGISTERED = 713,
  GPU_NOT_PERMITTED = 800,
  GPU_NOT_SUPPORTED = 801,
  GPU_CAPTURE_UNSUPPORTED = 900,
  GPU_CAPTURE_ISOLATION = 905,
  GPU_CAPTURE_IMPLICIT = 906,
  GPU_CAPTURED_EVENT = 907
};

#define GPU_MOST_DEVICES 4

enum gpu_kind { GPU_PAGEABLE, GPU_DEVICE, GPU_PINNED, GPU_MANAGED, GPU_REGISTERED };

typedef struct gpu_device gpu_device;
typedef void gpu_function(void* data);
typedef int gpu_rule(const char* name);

/* Every call of the runtime begins with this: it returns the error that a test wants, or the code of the runtime's rule
   for host functions. */
int gpu_call(const char* name, gpu_rule* in_host_function);
void gpu_call_back(gpu_function* function, void* data); /* as a host function, on this thread; not locked */
void gpu_violation(const char* format, ...) __attribute__((format(printf, 1, 2)));

int gpu_count(void);
gpu_device* gpu_at(int ordinal); /* NULL if it does not exist */
int gpu_ordinal(const gpu_device* device);
int gpu_status(const gpu_device* device); /* the error that it failed with, or 0 */
int gpu_has_pools(void);
int gpu_can_reach(const gpu_device* device, const gpu_device* peer); /* only in one direction, to detect a mix-up */
int gpu_driver_version(void);
int gpu_reaches_pageable(void); /* whether devices access it, by the CPU's page tables */
uint64_t gpu_total(void);
uint64_t gpu_free_bytes(gpu_device* device);

int gpu_allocate(gpu_device* device, enum gpu_kind kind, size_t size, uint64_t* address);
int gpu_managed_with_cpu(void);
int gpu_register(gpu_device* device, uint64_t address, size_t size); /* pins memory that another owner allocated */
enum gpu_kind gpu_kind_of(uint64_t address, int* ordinal);
uint64_t gpu_start_of(uint64_t address); /* of its block */
size_t gpu_size_of(uint64_t address);
int gpu_shifted(void);
int gpu_is_registered(uint64_t address);
int gpu_is_managed(uint64_t address, size_t size); /* all of it */
void gpu_advise(uint64_t address);

/* For queue.c and exit.c: one lock for everything, and one condition that signals all progress. */
void gpu_lock(void);
void gpu_unlock(void);
void gpu_progress(void);
void gpu_wait_progress(void);
void* gpu_resolve(uint64_t address, size_t size, const char* what); /* locked; NULL, and a violation, if it is missing */
void gpu_mark_freed(uint64_t address, int is_freed); /* locked; any later call that names the block is a violation */
void gpu_poison(uint64_t address, size_t size); /* locked; a reader that does not wait reads these bytes */
int gpu_release_locked(uint64_t address, enum gpu_kind kind); /* device memory also if managed */
void gpu_free_begins(void); /* locked; waits for another free, and blocks every call until gpu_free_ends */
void gpu_free_ends(void);   /* locked */
void gpu_die(gpu_device* device, int code); /* locked */
void gpu_counted(int what, int more);

/* For ipc.c: its own bytes for device memory, which it frees, and another process's memory at an address of a
   device. */
typedef void gpu_give(void* bytes, size_t size);
int gpu_range(uint64_t address, uint64_t* base, size_t* size, gpu_device** device); /* of device memory; false without a block */
void gpu_replace(uint64_t base, void* bytes, gpu_give* give); /* the previous contents are lost */
uint64_t gpu_attach(gpu_device* device, void* bytes, size_t size, gpu_give* give);
int gpu_detach(uint64_t base);
int gpu_is_attached(uint64_t address);

/* For vmm.c: a device's memory without an address, addresses without memory, and mappings of the two, which a device
   can use only after access is set. */
int gpu_take(gpu_device* device, size_t size);
void gpu_give_back(gpu_device* device, size_t size); /* locked */
uint64_t gpu_reserve(gpu_device* device, size_t size); /* 0: too few addresses are left */
void gpu_unreserve(gpu_device* device, uint64_t address, size_t size); /* locked; never mapped */
void gpu_map(gpu_device* device, uint64_t address, void* bytes, size_t size); /* locked */
int gpu_unmap(uint64_t address);                                              /* locked */
int gpu_let(uint64_t address, int ordinal);                                   /* locked */
int gpu_is_let(uint64_t address, int ordinal); /* -1 if it is not mapped in this way */
int gpu_is_let_by_pool(uint64_t address, int ordinal); /* -1 if it is of no pool */
int gpu_is_of_pool(uint64_t address, size_t size, const unsigned* pool_let); /* locked; a whole block of a pool */
void gpu_let_as(uint64_t address, const unsigned* pool_let); /* the devices with access are those of the memory's pool */
const unsigned* gpu_pool_let_of(uint64_t address); /* NULL without a pool */
int gpu_is_pool_used(const unsigned* pool_let); /* locked */
int gpu_physical(int ordinal); /* the number of the GPU in the machine, regardless of the GPUs that this process sees */
void gpu_see(const char* list); /* in the form of CUDA_VISIBLE_DEVICES; NULL for all */

enum { LIVE_DEVICE, LIVE_PINNED, LIVE_MANAGED, LIVE_STREAMS, LIVE_EVENTS, LIVE_COMMANDS, LIVE_OPENED, LIVE_REGISTERED, LIVE_RESERVED, LIVE_POOLS, LIVE_KINDS };

#pragma GCC visibility pop

#endif
