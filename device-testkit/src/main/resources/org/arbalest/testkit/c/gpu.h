/* A GPU's runtime in software, for tests: devices, their memory, streams and events. cuda.c puts libcuda's functions on it, hip.c libamdhip64's.

   What a GPU does late is done late here, by a thread for each stream; what a GPU cannot do is not done. The memory of a
   device has addresses that nobody can read. What a real driver punishes with undefined behaviour is written down as a violation. */
#ifndef ARBALEST_GPU_H
#define ARBALEST_GPU_H

#include <stddef.h>
#include <stdint.h>

#define DOUBLE __attribute__((visibility("default"))) /* what tests steer by */
#define API __attribute__((visibility("default")))    /* what the runtime that is doubled exports */

#pragma GCC visibility push(hidden)

/* The codes that CUDA and HIP share. */
enum {
  GPU_OK = 0,
  GPU_INVALID_VALUE = 1,
  GPU_OUT_OF_MEMORY = 2,
  GPU_NOT_INITIALIZED = 3,
  GPU_NO_DEVICE = 100,
  GPU_INVALID_DEVICE = 101,
  GPU_NO_CONTEXT = 201,
  GPU_NO_PEER_ACCESS = 217,
  GPU_INVALID_HANDLE = 400,
  GPU_NOT_FOUND = 500,
  GPU_NOT_READY = 600,
  GPU_ILLEGAL_ADDRESS = 700,
  GPU_PEER_ALREADY_ENABLED = 704,
  GPU_NOT_PERMITTED = 800,
  GPU_NOT_SUPPORTED = 801
};

#define GPU_MOST_DEVICES 4

enum gpu_kind { GPU_PAGEABLE, GPU_DEVICE, GPU_PINNED, GPU_MANAGED };

typedef struct gpu_device gpu_device;
typedef struct gpu_stream gpu_stream;
typedef struct gpu_event gpu_event;
typedef void gpu_function(void* data);
typedef void gpu_kernel(void** arguments);

/* Every call of the runtime begins with this: the error that a test wants, or what the runtime says in a host function. */
int gpu_call(const char* name);
int gpu_call_in_host_function(const char* name); /* the runtime's */
void gpu_violation(const char* format, ...) __attribute__((format(printf, 1, 2)));

int gpu_count(void);
gpu_device* gpu_at(int ordinal); /* NULL if there is none */
int gpu_ordinal(const gpu_device* device);
int gpu_status(const gpu_device* device); /* the error that it died of, or 0 */
int gpu_has_pools(void);
int gpu_can_reach(const gpu_device* device, const gpu_device* peer); /* only one way: whoever mixes the two up is found out */
int gpu_driver_version(void);
uint64_t gpu_total(void);
uint64_t gpu_free_bytes(gpu_device* device);

int gpu_allocate(gpu_device* device, enum gpu_kind kind, size_t size, uint64_t* address);
int gpu_release(uint64_t address, enum gpu_kind kind); /* device memory also if it is managed */
enum gpu_kind gpu_kind_of(uint64_t address, int* ordinal);

int gpu_stream_create(gpu_device* device, gpu_stream** stream);
int gpu_stream_destroy(gpu_stream* stream);
int gpu_stream_query(gpu_stream* stream);
int gpu_stream_synchronize(gpu_stream* stream);
gpu_stream* gpu_default_stream(gpu_device* device);
gpu_device* gpu_stream_device(gpu_stream* stream); /* NULL if it is no stream */
void gpu_device_synchronize(gpu_device* device);

int gpu_copy(gpu_stream* stream, uint64_t to, uint64_t from, size_t size, int pinned_waits); /* whether the caller waits between pinned memory */
int gpu_launch_host(gpu_stream* stream, gpu_function* function, void* data);
int gpu_launch_kernel(gpu_stream* stream, const char* name, void** parameters);
int gpu_wait_value(gpu_stream* stream, uint64_t address, uint32_t value);
int gpu_free_async(gpu_stream* stream, uint64_t address);
int gpu_has_kernel(const char* name);

int gpu_event_create(gpu_device* device, gpu_event** event);
int gpu_event_destroy(gpu_event* event);
int gpu_event_record(gpu_event* event, gpu_stream* stream);
int gpu_event_wait(gpu_stream* stream, gpu_event* event);
int gpu_event_query(gpu_event* event);
int gpu_event_synchronize(gpu_event* event);
void gpu_event_lock(gpu_event* event); /* for a runtime in which an event is used by one caller at a time */
void gpu_event_unlock(gpu_event* event);

/* Shared by the two files of the core; one lock for everything, and one condition that is told of all progress. */
void gpu_lock(void);
void gpu_unlock(void);
void gpu_progress(void);
void gpu_wait_progress(void);
void* gpu_resolve(uint64_t address, size_t size, const char* what); /* locked; NULL, and a violation, if it is not there */
int gpu_release_locked(uint64_t address, enum gpu_kind kind);
void gpu_die(gpu_device* device, int code); /* locked */
void gpu_counted(int what, int more);

enum { LIVE_DEVICE, LIVE_PINNED, LIVE_MANAGED, LIVE_STREAMS, LIVE_EVENTS, LIVE_COMMANDS, LIVE_KINDS };

extern __thread int gpu_in_host_function;

#pragma GCC visibility pop

#endif
