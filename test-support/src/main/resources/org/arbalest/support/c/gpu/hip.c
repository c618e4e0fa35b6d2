// SPDX-License-Identifier: Apache-2.0
/* libamdhip64, on top of gpu.c and queue.c: the functions of HIP that Arbalest and its tests call, with its rules. Each
   thread has a current device, host functions make no calls, one caller at a time uses an event, and destroying a
   stream waits for it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "hip_api.h"
#include "ipc.h"

#if __has_include("hip5.h")
#define MAJOR 5
#else
#define MAJOR 7
#endif

#define HANDLE_OF_DEFAULT 2 /* 0: the null stream, 1: by its name hipStreamLegacy; 2: the calling thread's, hipStreamPerThread */
#define EVENT_FLAGS 3       /* blocking, without times */
#define HOST_COHERENT 0x40000000U
#define HOST_FLAGS (1U | HOST_COHERENT)
#define UNKNOWN_ORDINAL (-2)

static __thread int current;
static __thread hipError_t last_error;

/* Like newer releases: success keeps the last error, and so does "not ready". */
static hipError_t told(hipError_t code) {
  if (code != GPU_OK && code != GPU_NOT_READY) last_error = code;
  return code;
}

#define RETURN(code) return told(code)

/* HIP forbids it, but does not check it. */
static int in_host_function(const char* name) {
  gpu_violation("%s was called in a host function", name);
  return GPU_OK;
}

/* The calls that HIP forbids during a capture: in its source those with CHECK_STREAM_CAPTURE_SUPPORTED (memory, not in
   stream order) or StreamCaptureOngoing (queries of streams and events, and waits for them); here all calls that are
   not known to be permitted. */
static enum capture_call capture_kind(const char* name) {
  static const char* const safe[] = {
    "hipGet", "hipSetDevice", "hipDevice", "hipRuntime", "hipThread", "hipDrvPointerGet", "hipPointerGet", "hipEventCreate", "hipEventRecord", "hipEventDestroy",
    "hipStreamGet", "hipStreamIsCapturing", "hipStreamWait", "hipStreamWrite", "hipStreamAddCallback", "hipLaunch", "hipModuleLaunch", "hipModuleGet",
    "hipStreamCreate", "hipStreamDestroy", "hipMemPoolGet",
  };
  size_t length = strlen(name);
  if (length > 5 && strcmp(name + length - 5, "Async") == 0) return CAPTURE_SAFE;
  for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++) {
    if (strncmp(name, safe[i], strlen(safe[i])) == 0) return CAPTURE_SAFE;
  }
  return strncmp(name, "hipEvent", 8) == 0 ? CAPTURE_ASKS : CAPTURE_UNSAFE;
}

#define CALL(name)                         \
  do {                                     \
    int injected = gpu_call(name, in_host_function); \
    if (injected) RETURN(injected);        \
    if (gpu_count() == 0) RETURN(GPU_NO_DEVICE); \
    int refused = capture_check(name, capture_kind(name)); \
    if (refused) RETURN(refused);          \
  } while (0)

/* For calls that work on the current device, which must not have failed. */
#define DEVICE(name)                       \
  CALL(name);                              \
  gpu_device* device = gpu_at(current);    \
  if (device == NULL) RETURN(GPU_INVALID_DEVICE); \
  if (gpu_status(device)) RETURN(gpu_status(device))

static gpu_stream* any_stream_of(gpu_device* device, hipStream_t handle) {
  if ((uintptr_t)handle > HANDLE_OF_DEFAULT) return handle;
  return (uintptr_t)handle == HANDLE_OF_DEFAULT ? gpu_thread_stream(device) : gpu_default_stream(device);
}

/* hipStreamSynchronize holds the stream's lock while it waits, and calls that queue work in the stream, or query it,
   block (ROCm/rocm-systems issue 11678: hipStreamWaitEvent, launches, hipMemcpyAsync, hipStreamQuery; not
   hipEventRecord). */
static gpu_stream* stream_of(gpu_device* device, hipStream_t handle) {
  gpu_stream* stream = any_stream_of(device, handle);
  gpu_stream_pass(stream);
  return stream;
}

static __attribute__((constructor)) void begin(void) { gpu_tell_captures_once(); }

/* The number of threads in hipEventSynchronize. */
static int synchronizing;

DOUBLE int double_synchronizing(void) { return __atomic_load_n(&synchronizing, __ATOMIC_SEQ_CST); }

/* Returns the thread's device, the subject of DEV-10. */
DOUBLE int double_depth(void) { return current; }
DOUBLE hipError_t double_last_error(void) { return last_error; }

/* Restores the state of the calling thread that a test has changed. */
DOUBLE void double_reset_thread(void) {
  current = 0;
  last_error = GPU_OK;
  capture_exchange(&(int){0});
}

API hipError_t hipRuntimeGetVersion(int* version) {
  int injected = gpu_call("hipRuntimeGetVersion", in_host_function); /* needs no device */
  if (injected) RETURN(injected);
  *version = gpu_driver_version();
  return GPU_OK;
}

static const struct { int code; const char* name; } ERRORS[] = {
  {GPU_OK, "hipSuccess"}, {GPU_INVALID_VALUE, "hipErrorInvalidValue"},
  {GPU_OUT_OF_MEMORY, "hipErrorOutOfMemory"}, {GPU_NOT_INITIALIZED, "hipErrorNotInitialized"},
  {GPU_NO_DEVICE, "hipErrorNoDevice"}, {GPU_INVALID_DEVICE, "hipErrorInvalidDevice"},
  {GPU_INVALID_DEVICE_POINTER, "hipErrorInvalidDevicePointer"}, {GPU_NO_CONTEXT, "hipErrorInvalidContext"},
  {GPU_NO_PEER_ACCESS, "hipErrorPeerAccessUnsupported"}, {GPU_INVALID_HANDLE, "hipErrorInvalidHandle"},
  {GPU_NOT_READY, "hipErrorNotReady"}, {GPU_ILLEGAL_ADDRESS, "hipErrorIllegalAddress"},
  {GPU_PEER_ALREADY_ENABLED, "hipErrorPeerAccessAlreadyEnabled"}, {GPU_ALREADY_REGISTERED, "hipErrorHostMemoryAlreadyRegistered"},
  {GPU_NOT_REGISTERED, "hipErrorHostMemoryNotRegistered"}, {GPU_NOT_SUPPORTED, "hipErrorNotSupported"},
  {GPU_DEINITIALIZED, "hipErrorDeinitialized"}, {GPU_CAPTURE_UNSUPPORTED, "hipErrorStreamCaptureUnsupported"},
  {GPU_CAPTURE_IMPLICIT, "hipErrorStreamCaptureImplicit"}, {GPU_CAPTURED_EVENT, "hipErrorCapturedEvent"},
};

API const char* hipGetErrorName(hipError_t code) {
  for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++) {
    if (ERRORS[i].code == code) return ERRORS[i].name;
  }
  return "hipErrorUnknown";
}

API hipError_t hipGetLastError(void) {
  hipError_t code = last_error;
  last_error = GPU_OK;
  return code;
}

API hipError_t hipGetDeviceCount(int* count) {
  *count = 0;
  gpu_see(getenv("HIP_VISIBLE_DEVICES"));
  CALL("hipGetDeviceCount");
  *count = gpu_count();
  return GPU_OK;
}

API hipError_t hipGetDevice(int* device) {
  CALL("hipGetDevice");
  *device = current;
  return GPU_OK;
}

API hipError_t hipSetDevice(int device) {
  CALL("hipSetDevice");
  if (gpu_at(device) == NULL) RETURN(GPU_INVALID_DEVICE);
  current = device;
  return GPU_OK;
}

API hipError_t hipDeviceGetName(char* name, int size, hipDevice_t device) {
  CALL("hipDeviceGetName");
  if (gpu_at(device) == NULL) RETURN(GPU_INVALID_DEVICE);
  snprintf(name, (size_t)size, "Arbalest Double %d", device);
  return GPU_OK;
}

API hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  CALL("hipDeviceTotalMem");
  if (gpu_at(device) == NULL) RETURN(GPU_INVALID_DEVICE);
  *bytes = gpu_total();
  return GPU_OK;
}

/* On AMD's GPUs 16 characters, the number in the hardware, without a terminator (hip_device.cpp, hipDeviceGetUuid). */
API hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  CALL("hipDeviceGetUuid");
  if (uuid == NULL) RETURN(GPU_INVALID_VALUE);
  if (gpu_at(device) == NULL) RETURN(GPU_INVALID_DEVICE);
  ipc_uuid(device, (unsigned char*)uuid->bytes);
  return GPU_OK;
}

API hipError_t hipDeviceGetPCIBusId(char* id, int size, int device) {
  CALL("hipDeviceGetPCIBusId");
  if (id == NULL || size < 13) RETURN(GPU_INVALID_VALUE);
  if (gpu_at(device) == NULL) RETURN(GPU_INVALID_DEVICE);
  ipc_bus_id(device, "%04x:%02x:%02x.%01x", id, size);
  return GPU_OK;
}

API hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  CALL("hipDeviceCanAccessPeer");
  if (gpu_at(device) == NULL || gpu_at(peer) == NULL) RETURN(GPU_INVALID_DEVICE);
  *can = gpu_can_reach(gpu_at(device), gpu_at(peer));
  return GPU_OK;
}

API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  static int enabled[GPU_MOST_DEVICES][GPU_MOST_DEVICES];
  DEVICE("hipDeviceEnablePeerAccess");
  if (flags != 0 || gpu_at(peer) == NULL || peer == current) RETURN(GPU_INVALID_VALUE);
  if (!gpu_can_reach(device, gpu_at(peer))) RETURN(GPU_NO_PEER_ACCESS);
  if (enabled[current][peer]) RETURN(GPU_PEER_ALREADY_ENABLED);
  enabled[current][peer] = 1;
  return GPU_OK;
}

API hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  CALL("hipDeviceGetStreamPriorityRange");
  *least = 1;
  *greatest = -1;
  return GPU_OK;
}

API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  CALL("hipThreadExchangeStreamCaptureMode");
  RETURN(capture_exchange(mode));
}

API hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total) {
  DEVICE("hipMemGetInfo");
  *free_bytes = gpu_free_bytes(device);
  *total = gpu_total();
  return GPU_OK;
}

API hipError_t hipMalloc(void** address, size_t bytes) {
  DEVICE("hipMalloc");
  gpu_wait_as_allocation(device);
  RETURN(ipc_allocate(device, bytes, (uint64_t*)address));
}

API hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t address) {
  CALL("hipMemGetAddressRange");
  uint64_t start;
  size_t size;
  gpu_device* device;
  if (base == NULL || bytes == NULL) RETURN(GPU_INVALID_VALUE);
  if (!gpu_range((uint64_t)address, &start, &size, &device)) RETURN(GPU_NOT_FOUND);
  *base = (hipDeviceptr_t)start;
  *bytes = size;
  return GPU_OK;
}

/* See ipc.h; the codes are those of hip_memory.cpp: an export or an attachment that is impossible is an invalid device
   pointer. */
API hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address) {
  DEVICE("hipIpcGetMemHandle");
  if (handle == NULL || address == NULL) RETURN(GPU_INVALID_VALUE);
  RETURN(ipc_export((uint64_t)address, (ipc_handle*)handle) == GPU_OK ? GPU_OK : GPU_INVALID_DEVICE_POINTER);
}

/* hipIpcMemLazyEnablePeerAccess is 0 in ROCm 5.2's header and 1 in later ones, and is the only permitted flag. */
API hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle, unsigned int flags) {
  DEVICE("hipIpcOpenMemHandle");
  if (address == NULL || flags != (MAJOR == 5 ? 0 : 1)) RETURN(GPU_INVALID_VALUE);
  hipError_t code = ipc_open(device, (const ipc_handle*)&handle, (uint64_t*)address);
  RETURN(code == GPU_OK || code == GPU_NO_CONTEXT ? code : GPU_INVALID_DEVICE_POINTER);
}

/* Waits for the null stream first, which waits for the others. */
API hipError_t hipIpcCloseMemHandle(void* address) {
  DEVICE("hipIpcCloseMemHandle");
  if (address == NULL) RETURN(GPU_INVALID_VALUE);
  gpu_wait_as_free(device);
  RETURN(ipc_close((uint64_t)address) == GPU_OK ? GPU_OK : GPU_INVALID_HANDLE);
}

/* Any device may be current: memory knows its own. */
static hipError_t release(void* address, enum gpu_kind kind) {
  int ordinal = 0;
  gpu_kind_of((uint64_t)address, &ordinal);
  return gpu_free(gpu_at(ordinal), (uint64_t)address, kind);
}

API hipError_t hipFree(void* address) {
  CALL("hipFree");
  RETURN(release(address, GPU_DEVICE));
}

/* Without a flag for it, memory that is pinned for several devices is not coherent with the CPU. */
API hipError_t hipHostMalloc(void** address, size_t bytes, unsigned int flags) {
  DEVICE("hipHostMalloc");
  if ((flags & ~HOST_FLAGS) != 0) RETURN(GPU_INVALID_VALUE);
  if (flags != 0 && !(flags & HOST_COHERENT)) gpu_violation("pinned memory was allocated by the flags 0x%x, which is not coherent", flags);
  gpu_wait_as_allocation(device);
  RETURN(gpu_allocate(device, GPU_PINNED, bytes, (uint64_t*)address));
}

API hipError_t hipHostFree(void* address) {
  CALL("hipHostFree");
  RETURN(release(address, GPU_PINNED));
}

/* PORTABLE, MAPPED */
API hipError_t hipHostRegister(void* address, size_t bytes, unsigned int flags) {
  DEVICE("hipHostRegister");
  if ((flags & ~3U) != 0) RETURN(GPU_INVALID_VALUE);
  RETURN(gpu_register(device, (uint64_t)address, bytes));
}

/* Waits like hipFree: JuliaGPU/AMDGPU.jl pull request 539. */
API hipError_t hipHostUnregister(void* address) {
  CALL("hipHostUnregister");
  RETURN(release(address, GPU_REGISTERED));
}

API hipError_t hipHostGetDevicePointer(void** address, void* host, unsigned int flags) {
  DEVICE("hipHostGetDevicePointer");
  if (flags != 0 || gpu_kind_of((uint64_t)host, NULL) != GPU_PINNED) RETURN(GPU_INVALID_VALUE);
  *address = (char*)host + (gpu_shifted() ? 4096 : 0);
  return GPU_OK;
}

/* hipMemPoolProps, hipMemLocation and hipMemAccessDesc, the parts that are read */
struct properties { int type; int handles; int location_type; int location; char rest[72]; };
struct location { int type; int id; };
struct access { int location_type; int location; int flags; };
struct pool { gpu_device* device; int waits; uint64_t threshold; int64_t served; int let[GPU_MOST_DEVICES]; unsigned blocks; /* marks its blocks */ };

static struct pool defaults[GPU_MOST_DEVICES];

/* Returns the device's default pool, since no test sets another one (hip_device.cpp: "Current is default pool after
   device creation"). Without pools it is not there, as in chipStar (CHIP-SPV/chipStar issue 1422). */
API hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int ordinal) {
  CALL("hipDeviceGetMemPool");
  gpu_device* device = gpu_at(ordinal);
  if (pool == NULL || device == NULL) RETURN(GPU_INVALID_VALUE);
  if (!gpu_has_pools()) RETURN(GPU_NOT_SUPPORTED);
  *pool = &defaults[ordinal];
  if ((*pool)->device != NULL) return GPU_OK;
  (*pool)->device = device;
  (*pool)->waits = 1;
  return GPU_OK;
}

/* Returns how many allocations a pool has served. */
DOUBLE int64_t double_served(const struct pool* pool) { return __atomic_load_n(&pool->served, __ATOMIC_SEQ_CST); }

/* A pool of another location or type than a device's own memory is refused (hip_mempool.cpp, hipMemPoolCreate). */
API hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  CALL("hipMemPoolCreate");
  static const char zeroes[72];
  if (!gpu_has_pools()) RETURN(GPU_NOT_SUPPORTED);
  if (properties->type != 1 || properties->handles != 0 || properties->location_type != 1) RETURN(GPU_INVALID_VALUE);
  if (memcmp(properties->rest, zeroes, sizeof(zeroes)) != 0) RETURN(GPU_INVALID_VALUE);
  gpu_device* device = gpu_at(properties->location);
  if (device == NULL) RETURN(GPU_INVALID_VALUE);
  *pool = calloc(1, sizeof(struct pool));
  (*pool)->device = device;
  (*pool)->waits = 1;
  return GPU_OK;
}

/* The default pool is not destroyed (hip_mempool.cpp, hipMemPoolDestroy). This one stays, as its blocks refer to it. */
API hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  CALL("hipMemPoolDestroy");
  if (pool == NULL || (pool >= defaults && pool < defaults + GPU_MOST_DEVICES)) RETURN(GPU_INVALID_VALUE);
  return GPU_OK;
}

API hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  CALL("hipMemPoolSetAttribute");
  if (pool == NULL || value == NULL) RETURN(GPU_INVALID_VALUE);
  if (attribute == 3) {
    memcpy(&pool->waits, value, sizeof(int));
    return GPU_OK;
  }
  if (attribute != 4) RETURN(GPU_INVALID_VALUE);
  memcpy(&pool->threshold, value, sizeof(uint64_t));
  return GPU_OK;
}

API hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  CALL("hipMemPoolGetAttribute");
  if (pool == NULL || value == NULL || (attribute != 3 && attribute != 4)) RETURN(GPU_INVALID_VALUE);
  if (attribute == 3) memcpy(value, &pool->waits, sizeof(int));
  else memcpy(value, &pool->threshold, sizeof(uint64_t));
  return GPU_OK;
}

/* "Check if the requested device is the pool device where memory was allocated": nothing to do then
   (hip_mempool_impl.cpp, SetAccess). */
API hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* list, size_t count) {
  CALL("hipMemPoolSetAccess");
  if (pool == NULL || list == NULL) RETURN(GPU_INVALID_VALUE);
  for (size_t i = 0; i < count; i++) {
    if (list[i].location_type != 1) RETURN(GPU_INVALID_VALUE);
    if (gpu_at(list[i].location) == NULL || list[i].flags == 0) RETURN(GPU_INVALID_DEVICE);
    if (list[i].flags != 1 && list[i].flags != 3) RETURN(GPU_INVALID_VALUE);
  }
  for (size_t i = 0; i < count; i++) pool->let[list[i].location] = list[i].flags;
  return GPU_OK;
}

/* "Current pool device has full access to memory allocation" (hip_mempool_impl.cpp, GetAccess). */
API hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool, hipMemLocation* location) {
  CALL("hipMemPoolGetAccess");
  if (flags == NULL || pool == NULL || location == NULL || location->type != 1) RETURN(GPU_INVALID_VALUE);
  if (gpu_at(location->id) == NULL) RETURN(GPU_INVALID_VALUE);
  *flags = location->id == gpu_ordinal(pool->device) ? 3 : pool->let[location->id];
  return GPU_OK;
}

API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t bytes) {
  CALL("hipMemPoolTrimTo");
  RETURN(pool == NULL || bytes > gpu_total() ? GPU_INVALID_VALUE : GPU_OK);
}

/* If the pool has to grow, this takes the device's lock while it holds the pool's. hipEventSynchronize, when the event
   is complete, takes the pool's lock while it holds the device's, to release free memory. Two threads in these two
   calls may wait for each other forever (ROCm/rocm-systems issue 10529). So here that is a violation, in any order of
   events. The pool grows each time, because it keeps no memory: the release threshold is ignored (issue 11690). */
API hipError_t hipMallocFromPoolAsync(void** address, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
  DEVICE("hipMallocFromPoolAsync");
  if (address == NULL || pool == NULL) RETURN(GPU_INVALID_VALUE);
  if (gpu_stream_device(stream_of(device, stream)) == NULL) RETURN(GPU_INVALID_HANDLE);
  *address = NULL;
  if (synchronizing > 0) gpu_violation("hipMallocFromPoolAsync while a thread is in hipEventSynchronize, which may deadlock (ROCm/rocm-systems 10529)");
  /* A block that was freed in this stream is served again at once (hip_mempool_impl.cpp, FindMemory). */
  int is_reused = gpu_reuse(stream_of(device, stream), bytes, &pool->blocks, (uint64_t*)address);
  hipError_t code = pool->waits && !is_reused ? gpu_wait_for_frees(stream_of(device, stream)) : GPU_OK; /* hipMemPoolReuseAllowInternalDependencies, "default enabled" */
  if (code == GPU_OK && !is_reused) code = gpu_allocate(pool->device, GPU_DEVICE, bytes, (uint64_t*)address);
  if (code == GPU_OK) gpu_let_as((uint64_t)*address, &pool->blocks);
  if (code == GPU_OK) __atomic_fetch_add(&pool->served, 1, __ATOMIC_SEQ_CST);
  RETURN(MAJOR == 5 && code == GPU_OUT_OF_MEMORY ? GPU_OK : code);
}

API hipError_t hipFreeAsync(void* address, hipStream_t stream) {
  DEVICE("hipFreeAsync");
  RETURN(gpu_free_async(stream_of(device, stream), GPU_DEVICE, (uint64_t)address));
}

/* A copy between GPUs needs no access to a pool: memory of a GPU is opened to all its peers (rocdevice.cpp,
   deviceLocalAlloc), and for other GPUs the copy goes through main memory (rocvirtual.cpp, submitCopyMemoryP2P). */
API hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  DEVICE("hipMemcpyAsync");
  if (kind != 4) RETURN(GPU_INVALID_VALUE); /* determined by the addresses */
  RETURN(gpu_copy(stream_of(device, stream), (uint64_t)to, (uint64_t)from, bytes, 0));
}

/* A loop of copies up to 7.2 (ROCm/clr issue 273). Later it hung after an error (ROCm/rocm-systems pull request 10802),
   and above 8,192 pieces, waits on the host (11650), and corrupts memory on one GPU without an error (issue 11662). */
API hipError_t hipMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count, hipMemcpyAttributes* attributes, size_t* first, size_t kinds, size_t* failed,
                                   hipStream_t stream) {
  DEVICE("hipMemcpyBatchAsync");
  (void)attributes, (void)first, (void)kinds;
  if (to == NULL || from == NULL || bytes == NULL || count == 0 || stream == NULL) RETURN(GPU_INVALID_VALUE);
  gpu_violation("hipMemcpyBatchAsync was called for %zu copies", count);
  *failed = SIZE_MAX;
  for (size_t i = count; i-- > 0;) {
    int code = gpu_copy(stream_of(device, stream), (uint64_t)to[i], (uint64_t)from[i], bytes[i], 0);
    if (code != GPU_OK) RETURN(code);
  }
  return GPU_OK;
}

/* Accepts everything; unknown attributes get values that mean unknown. */
API hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute* attributes, void** values, hipDeviceptr_t address) {
  CALL("hipDrvPointerGetAttributes");
  if (count == 0 || attributes == NULL || values == NULL || address == NULL) RETURN(GPU_INVALID_VALUE);
  int ordinal = UNKNOWN_ORDINAL;
  enum gpu_kind kind = gpu_kind_of((uint64_t)address, &ordinal);
  for (unsigned i = 0; i < count; i++) {
    switch (attributes[i]) {
      case 2: gpu_violation("the query asked for the memory type, for which some releases read the memory itself"); break;
      case 4: *(void**)values[i] = kind == GPU_PINNED && ordinal >= 0 ? address : NULL; break;
      case 9: *(int*)values[i] = ordinal; break;
      default: RETURN(GPU_INVALID_VALUE);
    }
  }
  return GPU_OK;
}

API hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  DEVICE("hipStreamCreateWithFlags");
  if (flags > 1) RETURN(GPU_INVALID_VALUE);
  RETURN(gpu_stream_create(device, stream, (int)flags));
}

API hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  DEVICE("hipStreamCreateWithPriority");
  if (flags > 1 || priority < -1 || priority > 1) RETURN(GPU_INVALID_VALUE);
  RETURN(gpu_stream_create(device, stream, (int)flags));
}

/* Waits until its work is done. */
API hipError_t hipStreamDestroy(hipStream_t stream) {
  CALL("hipStreamDestroy");
  hipError_t code = gpu_stream_synchronize(stream);
  if (code == GPU_INVALID_HANDLE) RETURN(code);
  RETURN(gpu_stream_destroy(stream));
}

API hipError_t hipStreamQuery(hipStream_t stream) {
  DEVICE("hipStreamQuery");
  RETURN(gpu_stream_query(stream_of(device, stream)));
}

API hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  DEVICE("hipStreamIsCapturing");
  int is = 0;
  hipError_t code = gpu_stream_is_captured(stream_of(device, stream), &is);
  if (code == GPU_OK) *status = is;
  RETURN(code);
}

API hipError_t hipStreamSynchronize(hipStream_t stream) {
  DEVICE("hipStreamSynchronize");
  gpu_stream* held = any_stream_of(device, stream);
  gpu_stream_lock(held);
  hipError_t code = gpu_stream_synchronize(held);
  gpu_stream_unlock(held);
  RETURN(code);
}

/* Each of these locks the event during the call: a query of an event that another thread waits for waits as well. */
#define WITH(event, expression)      \
  if (event == NULL) RETURN(GPU_INVALID_HANDLE); \
  gpu_event_lock(event);             \
  hipError_t code = (expression);    \
  gpu_event_unlock(event);           \
  RETURN(code)

API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  DEVICE("hipStreamWaitEvent");
  if (flags != 0) RETURN(GPU_INVALID_VALUE);
  WITH(event, gpu_event_wait(stream_of(device, stream), event));
}

API hipError_t hipStreamWaitValue32(hipStream_t stream, void* address, uint32_t value, unsigned int flags, uint32_t mask) {
  DEVICE("hipStreamWaitValue32");
  if (flags != 0 || mask != 0xFFFFFFFFU || gpu_kind_of((uint64_t)address, NULL) != GPU_PINNED) RETURN(GPU_INVALID_VALUE);
  RETURN(gpu_wait_value(stream_of(device, stream), (uint64_t)address, value));
}

struct callback { hipStreamCallback_t function; hipStream_t stream; void* data; };

static void call_back(void* data) {
  struct callback callback = *(struct callback*)data;
  free(data);
  callback.function(callback.stream, GPU_OK, callback.data);
}

API hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function, void* data, unsigned int flags) {
  DEVICE("hipStreamAddCallback");
  if (function == NULL || flags != 0) RETURN(GPU_INVALID_VALUE);
  struct callback* callback = malloc(sizeof(struct callback));
  *callback = (struct callback){function, stream, data};
  hipError_t code = gpu_launch_host(stream_of(device, stream), call_back, callback);
  if (code != GPU_OK) free(callback);
  RETURN(code);
}

API hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  DEVICE("hipLaunchHostFunc");
  if (function == NULL) RETURN(GPU_INVALID_VALUE);
  RETURN(gpu_launch_host(stream_of(device, stream), function, data));
}

API hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  DEVICE("hipEventCreateWithFlags");
  if (flags > EVENT_FLAGS) RETURN(GPU_INVALID_VALUE);
  RETURN(gpu_event_create(device, event));
}

/* A caller that waits nevertheless is left with freed memory. */
API hipError_t hipEventDestroy(hipEvent_t event) {
  CALL("hipEventDestroy");
  RETURN(gpu_event_destroy(event));
}

API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  DEVICE("hipEventRecord");
  WITH(event, gpu_event_record(event, any_stream_of(device, stream)));
}

API hipError_t hipEventQuery(hipEvent_t event) {
  CALL("hipEventQuery");
  WITH(event, gpu_event_query(event));
}

static hipError_t synchronize(hipEvent_t event) {
  __atomic_add_fetch(&synchronizing, 1, __ATOMIC_SEQ_CST);
  hipError_t code = gpu_event_synchronize(event);
  __atomic_sub_fetch(&synchronizing, 1, __ATOMIC_SEQ_CST);
  return code;
}

API hipError_t hipEventSynchronize(hipEvent_t event) {
  CALL("hipEventSynchronize");
  WITH(event, synchronize(event));
}

/* A module is a copy of its text, and a function is a copy of its name. A test defines the kernel by double_kernel. */
API hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  DEVICE("hipModuleLoadData");
  *module = strdup(image);
  return GPU_OK;
}

API hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  DEVICE("hipModuleGetFunction");
  if (strstr(module, name) == NULL || !gpu_has_kernel(name)) RETURN(GPU_NOT_FOUND);
  *function = strdup(name); /* valid until the process ends, like a real function in its module */
  return GPU_OK;
}

API hipError_t hipModuleUnload(hipModule_t module) {
  CALL("hipModuleUnload");
  free(module);
  return GPU_OK;
}

API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                     unsigned shared, hipStream_t stream, void** parameters, void** extra) {
  DEVICE("hipModuleLaunchKernel");
  (void)shared;
  size_t threads = (size_t)bx * by * bz;
  if (gx == 0 || gy == 0 || gz == 0 || threads == 0 || threads > 1024 || extra != NULL) RETURN(GPU_INVALID_VALUE);
  if (gpu_stream_device(stream_of(device, stream)) != device) RETURN(GPU_INVALID_HANDLE); /* the stream must be of the current device */
  RETURN(gpu_launch_kernel(stream_of(device, stream), function, parameters));
}
