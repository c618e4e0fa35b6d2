// SPDX-License-Identifier: Apache-2.0
/* libcuda.so.1, on top of gpu.c and queue.c: the functions of the driver API that Arbalest and its tests call, with its rules about contexts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "cuda_api.h"
#include "ipc.h"
#include "vmm.h"

#define MOST_CONTEXTS 32
#define EVENT_INTERPROCESS 4
#define EVENT_DISABLE_TIMING 2
#define HANDLE_OF_DEFAULT 2 /* 0, 1: the legacy default stream, CU_STREAM_LEGACY; 2: the calling thread's, CU_STREAM_PER_THREAD */

static int initialized;
static int lenient;
static int has_batches = 1;
static int peers[GPU_MOST_DEVICES][GPU_MOST_DEVICES]; /* whose context has access to whose memory */
static int retained[GPU_MOST_DEVICES];
static __thread CUcontext stack[MOST_CONTEXTS];
static __thread int depth;

/* A driver may reject all calls there, or permit queries and changes of contexts. */
static int in_host_function(const char* name) { return lenient && strncmp(name, "cuCtx", 5) == 0 ? GPU_OK : GPU_NOT_PERMITTED; }

/*
 * The calls that are potentially unsafe during a capture. No document lists them: cuda.h names allocations, NVIDIA's
 * "CUDA Graphs" guide names each call that makes the CPU wait for the GPU, and PyTorch found queries of events. Calls
 * that go into a stream are safe, and so are queries that do not depend on work. All others count as unsafe, as a
 * precaution.
 */
static enum capture_call capture_kind(const char* name) {
  static const char* const safe[] = {
    "cuDevice", "cuDriver", "cuGet", "cuCtxPush", "cuCtxPop", "cuCtxGet", "cuThread", "cuPointerGet", "cuEventCreate", "cuEventRecord", "cuEventDestroy",
    "cuStreamGet", "cuStreamIsCapturing", "cuStreamWait", "cuStreamWrite", "cuLaunch", "cuMemHostGet", "cuMemPoolGet", "cuModuleGet",
  };
  size_t length = strlen(name);
  if (length > 5 && strcmp(name + length - 5, "Async") == 0) return CAPTURE_SAFE;
  for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++) {
    if (strncmp(name, safe[i], strlen(safe[i])) == 0) return CAPTURE_SAFE;
  }
  return strncmp(name, "cuEvent", 7) == 0 ? CAPTURE_ASKS : CAPTURE_UNSAFE;
}

#define CALL(name)                             \
  do {                                         \
    int injected = gpu_call(name, in_host_function); \
    if (injected) return injected;             \
    if (!initialized) return GPU_NOT_INITIALIZED; \
    int refused = capture_check(name, capture_kind(name)); \
    if (refused) return refused;               \
  } while (0)

/*
 * The contexts that are not primary. One of cuCtxCreate has streams and events of its own: "hEvent and hStream must be
 * from the same context" (cuda.h, cuEventRecord). A green context has some of the GPU's processors, and default streams
 * of its own; its memory and events are those of the primary context. The CUcontext that cuCtxFromGreenCtx makes of it
 * differs from the primary one, and cuStreamGetCtx returns it. cuStreamGetCtx_v2 returns the primary context, and the
 * green one (cuda.h of CUDA 12.5).
 */
struct context { gpu_device* device; gpu_stream* stream; int is_green; int is_used; };

#define MOST_OTHERS 8
static struct context others[MOST_OTHERS];

static struct context* other_context(CUcontext context) {
  struct context* other = (struct context*)(void*)context;
  return other >= others && other < others + MOST_OTHERS ? other : NULL;
}

static gpu_device* device_of(CUcontext context) {
  struct context* other = other_context(context);
  return other == NULL ? context : other->device;
}

/* Returns the context of the streams and events that are created in a context; NULL for the primary one. */
static const void* owner_of(CUcontext context) {
  struct context* other = other_context(context);
  return other == NULL || other->is_green ? NULL : other;
}

static CUcontext make_context(gpu_device* device, int is_green) {
  for (int i = 0; i < MOST_OTHERS; i++) {
    struct context* made = &others[i];
    if (made->is_used || (made->device != NULL && (made->device != device || made->is_green != is_green))) continue;
    made->is_used = 1;
    made->is_green = is_green;
    if (made->device == NULL) made->stream = gpu_context_stream(device, is_green ? NULL : made);
    made->device = device;
    return (CUcontext)(void*)made;
  }
  abort();
}

#define CURRENT (depth == 0 ? NULL : stack[depth - 1])

/* Almost every call needs a current context that has not failed. */
#define CONTEXT(name)                              \
  CALL(name);                                      \
  if (CURRENT == NULL) return GPU_NO_CONTEXT;      \
  gpu_device* context = device_of(CURRENT);        \
  if (gpu_status(context)) return gpu_status(context)

/* See gpu_limit_streams. */
#define UNLESS_FULL(name) \
  CONTEXT(name);          \
  if (gpu_pass_full(context)) return gpu_status(context)

/* The handles 0 to 2 are of the current context: "Specifying any of the special handles will return the context current
   to the calling thread" (cuda.h, cuStreamGetCtx). Another context has one default stream here, for all threads. */
static gpu_stream* stream_of(gpu_device* context, CUstream handle) {
  if ((uintptr_t)handle > HANDLE_OF_DEFAULT) return handle;
  struct context* other = other_context(CURRENT);
  if (other != NULL) return other->stream;
  return (uintptr_t)handle == HANDLE_OF_DEFAULT ? gpu_thread_stream(context) : gpu_default_stream(context);
}

/* Sets whether host functions may query and change contexts, but nothing else. */
DOUBLE void double_lenient(int is_lenient) { lenient = is_lenient; }

DOUBLE int double_depth(void) { return depth; }

/* Restores the state of the calling thread that a test has changed. */
DOUBLE void double_reset_thread(void) {
  depth = 0;
  capture_exchange(&(int){0});
}

DOUBLE int double_retained(int ordinal) { return retained[ordinal]; }

API CUresult cuInit(unsigned flags) {
  if (flags != 0) return GPU_INVALID_VALUE;
  int injected = gpu_call("cuInit", in_host_function);
  if (injected) return injected;
  gpu_see(getenv("CUDA_VISIBLE_DEVICES"));
  if (gpu_count() == 0) return GPU_NO_DEVICE;
  gpu_limit_streams();
  initialized = 1;
  return GPU_OK;
}

API CUresult cuDriverGetVersion(int* version) {
  int injected = gpu_call("cuDriverGetVersion", in_host_function); /* needs no cuInit */
  if (injected) return injected;
  *version = gpu_driver_version();
  return GPU_OK;
}

static const struct { int code; const char* name; } ERRORS[] = {
  {GPU_OK, "CUDA_SUCCESS"},
  {GPU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
  {GPU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
  {GPU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
  {GPU_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
  {GPU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
  {GPU_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
  {GPU_NO_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
  {GPU_MAP_FAILED, "CUDA_ERROR_MAP_FAILED"},
  {GPU_ALREADY_MAPPED, "CUDA_ERROR_ALREADY_MAPPED"},
  {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, /* up to 223: a module cannot be loaded */
  {GPU_NO_PEER_ACCESS, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
  {218, "CUDA_ERROR_INVALID_PTX"},
  {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
  {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
  {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
  {GPU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
  {GPU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
  {GPU_NOT_READY, "CUDA_ERROR_NOT_READY"},
  {GPU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
  {GPU_PEER_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
  {GPU_TOO_MANY_PEERS, "CUDA_ERROR_TOO_MANY_PEERS"},
  {GPU_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
  {GPU_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
  {GPU_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED"},
  {GPU_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
  {GPU_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
  {GPU_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
  {GPU_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT"},
};

API CUresult cuGetErrorName(CUresult code, const char** out) {
  for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++) {
    if (ERRORS[i].code != code) continue;
    *out = ERRORS[i].name;
    return GPU_OK;
  }
  *out = NULL;
  return GPU_INVALID_VALUE;
}

API CUresult cuDeviceGetCount(int* count) {
  CALL("cuDeviceGetCount");
  *count = gpu_count();
  return GPU_OK;
}

API CUresult cuDeviceGet(int* device, int ordinal) {
  CALL("cuDeviceGet");
  if (gpu_at(ordinal) == NULL) return GPU_INVALID_DEVICE;
  *device = ordinal;
  return GPU_OK;
}

API CUresult cuDeviceGetName(char* name, int size, int device) {
  CALL("cuDeviceGetName");
  snprintf(name, (size_t)size, "Arbalest Double %d", device);
  return GPU_OK;
}

API CUresult cuDeviceTotalMem_v2(size_t* bytes, int device) {
  CALL("cuDeviceTotalMem");
  if (gpu_at(device) == NULL) return GPU_INVALID_DEVICE;
  *bytes = gpu_total();
  return GPU_OK;
}

/* The machine that is simulated. PCIE: GPUs with their own memory. The two others have memory that the CPU and the GPU
   both reach. None of their values was read on hardware.

   JETSON: a Jetson Orin. "Device memory, host memory, and unified memory are allocated on the same physical SoC DRAM"
   (CUDA for Tegra), so the GPU is integrated. concurrentManagedAccess is 0: "limited unified memory support" (CUDA
   Programming Guide, "Unified memory on Windows, WSL, and Tegra"; MatX #1007, mlx #3701). Memory can be registered
   (open-mpi #9851), but the GPU may have it at another address (sglang #40232). "CUDA IPC is not supported on Tegra
   platforms" (Multi-Process Service), and opening a handle gives 1 (wheelos/core #62). Which code the export gives is
   not documented.

   GH200: "system allocated memory is addressable from the device via Address Translation Services", so "the CPU and GPU
   both use" one set of page tables (NVML, addressing mode ATS), and the host reaches managed memory on the GPU without
   migration (CUDA Programming Guide, hardware-coherent systems). */
enum { PCIE, JETSON, GH200 };
static int machine;

DOUBLE void double_machine(int kind) { machine = kind; }

/* The driver's version from which an attribute exists, according to the first cuda.h that has it. An older driver returns
   CUDA_ERROR_INVALID_VALUE for it. */
static int since(int attribute) {
  static const struct { int attribute; int version; } versions[] = {{83, 6000}, {88, 8000}, {89, 8000}, {91, 8000}, {99, 9020}, {100, 9020}, {101, 9020}, {115, 11020}, {125, 12000}, {128, 12030}, {134, 12020}};
  for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
    if (versions[i].attribute == attribute) return versions[i].version;
  }
  return attribute > 134 ? 13000 : 0;
}

API CUresult cuDeviceGetAttribute(int* value, int attribute, int device) {
  CALL("cuDeviceGetAttribute");
  if (gpu_at(device) == NULL) return GPU_INVALID_DEVICE;
  if (gpu_driver_version() < since(attribute)) return GPU_INVALID_VALUE;
  switch (attribute) {
    case 18: *value = machine == JETSON; break; /* integrated */
    case 75: *value = machine == JETSON ? 8 : 9; break; /* compute capability */
    case 76: *value = machine == JETSON ? 7 : 0; break;
    case 83: *value = 1; break; /* managed memory */
    case 89: *value = gpu_managed_with_cpu(); break; /* also concurrently */
    case 91: *value = !gpu_shifted(); break; /* registered memory has the CPU's addresses */
    case 88: case 100: *value = gpu_reaches_pageable(); break;
    case 99: *value = 1; break; /* memory can be registered */
    case 101: *value = machine == GH200; break; /* the CPU reaches managed memory on the GPU */
    case 115: *value = gpu_has_pools(); break;
    case 125: *value = machine != JETSON; break; /* events of other processes */
    case 128: *value = vmm_has_fabric(); break; /* fabric handles */
    case 134: *value = gpu_physical(device); break; /* the host's NUMA node */
    default: *value = 0;
  }
  return GPU_OK;
}

API CUresult cuDeviceGetUuid_v2(CUuuid* uuid, int device) {
  CALL("cuDeviceGetUuid");
  if (gpu_at(device) == NULL) return GPU_INVALID_DEVICE;
  ipc_uuid(device, (unsigned char*)uuid->bytes);
  return GPU_OK;
}

API CUresult cuDeviceGetPCIBusId(char* id, int size, int device) {
  CALL("cuDeviceGetPCIBusId");
  if (gpu_at(device) == NULL) return GPU_INVALID_DEVICE;
  if (size < 13) return GPU_INVALID_VALUE; /* "pciBusId should be large enough to store 13 characters including the NULL-terminator" */
  ipc_bus_id(device, "%04X:%02X:%02X.%01X", id, size);
  return GPU_OK;
}

API CUresult cuDeviceCanAccessPeer(int* can, int device, int peer) {
  CALL("cuDeviceCanAccessPeer");
  if (gpu_at(device) == NULL || gpu_at(peer) == NULL) return GPU_INVALID_DEVICE;
  *can = gpu_can_reach(gpu_at(device), gpu_at(peer));
  return GPU_OK;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, int device) {
  CALL("cuDevicePrimaryCtxRetain");
  gpu_device* found = gpu_at(device);
  if (found == NULL) return GPU_INVALID_DEVICE;
  if (gpu_status(found)) return gpu_status(found);
  retained[device]++;
  *context = found;
  return GPU_OK;
}

API CUresult cuDevicePrimaryCtxRelease_v2(int device) {
  CALL("cuDevicePrimaryCtxRelease");
  if (retained[device] == 0) return GPU_NO_CONTEXT;
  retained[device]--;
  return GPU_OK;
}

/* From CUDA 7; "as of CUDA 11.0" it is _v2, here with the same rules. */
API CUresult cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }

API CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, int device) {
  CALL("cuCtxCreate");
  if (gpu_at(device) == NULL) return GPU_INVALID_DEVICE;
  if (flags != 0) return GPU_INVALID_VALUE;
  if (depth == MOST_CONTEXTS) return GPU_INVALID_VALUE;
  *context = make_context(gpu_at(device), 0);
  stack[depth++] = *context;
  return GPU_OK;
}

API CUresult cuCtxDestroy_v2(CUcontext context) {
  CALL("cuCtxDestroy");
  struct context* other = other_context(context);
  if (other == NULL || !other->is_used) return GPU_INVALID_VALUE;
  other->is_used = 0;
  if (CURRENT == context) depth--; /* "If hCtx is current to the calling thread then it will also be popped" */
  return GPU_OK;
}

/* Makes the CUcontext of a green context, by cuGreenCtxCreate and cuCtxFromGreenCtx. */
DOUBLE CUcontext double_green_context(int ordinal) { return make_context(gpu_at(ordinal), 1); }

API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  CALL("cuCtxPushCurrent");
  if (depth == MOST_CONTEXTS) return GPU_INVALID_VALUE;
  stack[depth++] = context;
  return GPU_OK;
}

API CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  CALL("cuCtxPopCurrent");
  if (depth == 0) {
    gpu_violation("a context was popped off an empty stack");
    return GPU_NO_CONTEXT;
  }
  CUcontext top = stack[--depth];
  if (context != NULL) *context = top;
  return GPU_OK;
}

API CUresult cuCtxGetCurrent(CUcontext* context) {
  CALL("cuCtxGetCurrent");
  *context = CURRENT;
  return GPU_OK;
}

API CUresult cuCtxGetDevice(int* device) {
  CALL("cuCtxGetDevice");
  if (CURRENT == NULL) return GPU_NO_CONTEXT;
  *device = gpu_ordinal(device_of(CURRENT));
  return GPU_OK;
}

API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  CONTEXT("cuCtxEnablePeerAccess");
  if (peer == context || flags != 0) return GPU_INVALID_VALUE;
  if (!gpu_can_reach(context, peer)) return GPU_NO_PEER_ACCESS;
  if (peers[gpu_ordinal(context)][gpu_ordinal(peer)]) return GPU_PEER_ALREADY_ENABLED; /* by other code of the process */
  peers[gpu_ordinal(context)][gpu_ordinal(peer)] = 1;
  return GPU_OK;
}

/* Needs no context. */
API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  CALL("cuThreadExchangeStreamCaptureMode");
  return capture_exchange(mode);
}

API CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  CONTEXT("cuMemGetInfo");
  *free_bytes = gpu_free_bytes(context);
  *total = gpu_total();
  return GPU_OK;
}

API CUresult cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  UNLESS_FULL("cuMemAlloc");
  gpu_wait_as_allocation(context);
  return ipc_allocate(context, bytes, address);
}

API CUresult cuMemGetAddressRange_v2(uint64_t* base, size_t* bytes, uint64_t address) {
  CONTEXT("cuMemGetAddressRange");
  uint64_t start;
  size_t size;
  gpu_device* device;
  if (!gpu_range(address, &start, &size, &device)) return GPU_NOT_FOUND;
  if (base != NULL) *base = start;
  if (bytes != NULL) *bytes = size;
  return GPU_OK;
}

API CUresult cuMemFree_v2(uint64_t address) {
  CONTEXT("cuMemFree");
  if (ipc_is_pooled_open(address)) return ipc_close_pooled(address); /* does not wait: see ipc.h */
  return gpu_free(context, address, GPU_DEVICE);
}

/* See ipc.h. */
API CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, uint64_t address) {
  CONTEXT("cuIpcGetMemHandle");
  if (machine == JETSON) return GPU_NOT_SUPPORTED;
  return ipc_export(address, (ipc_handle*)handle);
}

API CUresult cuIpcOpenMemHandle_v2(uint64_t* address, CUipcMemHandle handle, unsigned flags) {
  CONTEXT("cuIpcOpenMemHandle");
  if (machine == JETSON) return GPU_INVALID_VALUE;
  if (flags != 1) return GPU_INVALID_VALUE; /* "must be specified as CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS" */
  return ipc_open(context, (const ipc_handle*)&handle, address);
}

/* From CUDA 4.1; "as of CUDA 11.0" it is _v2, here with the same rules. */
API CUresult cuIpcOpenMemHandle(uint64_t* address, CUipcMemHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

/* Unmapping is treated like a free: it waits, and blocks other calls. */
API CUresult cuIpcCloseMemHandle(uint64_t address) {
  CONTEXT("cuIpcCloseMemHandle");
  gpu_wait_as_free(context);
  return ipc_close(address);
}

API CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  CONTEXT("cuIpcGetEventHandle");
  return ipc_event_export(event, (ipc_handle*)handle);
}

API CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  CONTEXT("cuIpcOpenEventHandle");
  return ipc_event_open(context, (const ipc_handle*)&handle, event);
}

API CUresult cuMemHostAlloc(void** address, size_t bytes, unsigned flags) {
  UNLESS_FULL("cuMemHostAlloc");
  if ((flags & ~7U) != 0) return GPU_INVALID_VALUE;
  gpu_wait_as_allocation(context);
  return gpu_allocate(context, GPU_PINNED, bytes, (uint64_t*)address);
}

API CUresult cuMemFreeHost(void* address) {
  CONTEXT("cuMemFreeHost");
  return gpu_free(context, (uint64_t)address, GPU_PINNED);
}

/* PORTABLE, DEVICEMAP, IOMEMORY, READ_ONLY; the last needs a GPU that has the attribute for it, and these do not
   (cuda.h). */
API CUresult cuMemHostRegister_v2(void* address, size_t bytes, unsigned flags) {
  CONTEXT("cuMemHostRegister");
  if ((flags & ~15U) != 0) return GPU_INVALID_VALUE;
  return flags & 8 ? GPU_NOT_SUPPORTED : gpu_register(context, (uint64_t)address, bytes);
}

API CUresult cuMemHostUnregister(void* address) {
  CONTEXT("cuMemHostUnregister");
  return gpu_free(context, (uint64_t)address, GPU_REGISTERED);
}

API CUresult cuMemAllocManaged(uint64_t* address, size_t bytes, unsigned flags) {
  UNLESS_FULL("cuMemAllocManaged");
  if (flags != 1 && flags != 2) return GPU_INVALID_VALUE;
  gpu_wait_as_allocation(context);
  return gpu_allocate(context, GPU_MANAGED, bytes, address);
}

/* "pointer must refer to managed memory", and the GPU must have concurrentManagedAccess (cuda.h); a location of type 1
   is a GPU, 2 the host. */
static int check_managed(uint64_t address, size_t bytes, int type, int id) {
  if (bytes == 0 || !gpu_is_managed(address, bytes)) return GPU_INVALID_VALUE;
  if (type != 1 && type != 2) return GPU_INVALID_VALUE;
  if (type == 1 && (gpu_at(id) == NULL || !gpu_managed_with_cpu())) return GPU_INVALID_DEVICE;
  return GPU_OK;
}

static struct { uint64_t address; size_t bytes; int what; int place; } last_hint;

/* Returns the last prefetch, as 0, or advice, and its place: an ordinal, or -1 for the host. */
DOUBLE int64_t double_hinted(int what) {
  return what == 0 ? last_hint.what : what == 1 ? last_hint.place : what == 2 ? (int64_t)last_hint.address : (int64_t)last_hint.bytes;
}

static int hint(uint64_t address, size_t bytes, int what, int place) {
  last_hint.address = address;
  last_hint.bytes = bytes;
  last_hint.what = what;
  last_hint.place = place;
  return GPU_OK;
}

static int prefetch(CUcontext context, uint64_t address, size_t bytes, int type, int id, CUstream stream) {
  int code = check_managed(address, bytes, type, id);
  if (code == GPU_OK && !gpu_managed_with_cpu()) code = GPU_INVALID_DEVICE; /* the stream's GPU needs it as well */
  if (code == GPU_OK) code = gpu_prefetch(stream_of(context, stream), address, bytes);
  return code == GPU_OK ? hint(address, bytes, 0, type == 2 ? -1 : id) : code;
}

/* From CUDA 8; a device of -1 is the host. */
API CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  CONTEXT("cuMemPrefetchAsync");
  return prefetch(context, address, bytes, device == -1 ? 2 : 1, device, stream);
}

API CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream) {
  CONTEXT("cuMemPrefetchAsync");
  if (flags != 0) return GPU_INVALID_VALUE;
  return prefetch(context, address, bytes, location.type, location.id, stream);
}

static int advise(uint64_t address, size_t bytes, int advice, int type, int id) {
  if (advice < 1 || advice > 6) return GPU_INVALID_VALUE;
  int ignores_place = advice == 1 || advice == 2 || advice == 4;
  int code = ignores_place ? check_managed(address, bytes, 2, 0) : check_managed(address, bytes, type, id);
  if (code != GPU_OK) return code;
  gpu_advise(address);
  return hint(address, bytes, advice, type == 2 ? -1 : id);
}

API CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  CONTEXT("cuMemAdvise");
  return advise(address, bytes, advice, device == -1 ? 2 : 1, device);
}

API CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  CONTEXT("cuMemAdvise");
  return advise(address, bytes, advice, location.type, location.id);
}

/* CUmemPoolProps and CUmemAccessDesc, the parts that are read */
struct properties { int type; int handles; int location_type; int location; char rest[72]; };
struct access { int location_type; int location; int flags; };
struct pool {
  gpu_device* device;
  int kind;
  int waits;
  uint64_t threshold;
  int64_t served;
  unsigned let;
  int types;       /* of handles */
  int is_exported;
  int process;     /* of an imported pool: the process that created it; otherwise 0 */
  uint64_t number; /* in that process */
  int is_gone;
};
_Static_assert(sizeof(CUmemPoolPtrExportData) == sizeof(ipc_handle), "the data of an allocation have 64 bytes");

/* CUDA 12.3 has fabric handles. */
#define FABRIC_SINCE 12030

/* The handle of an imported pool that was destroyed. The next pool gets it, and keeps the access of other devices: "When
   a memory pool handle is recycled the new handle inherits the peer access state of the previous handle"
   (NVIDIA/cuda-python, cuda_core's _memory_pool.pyx, bug 5698116). */
static struct pool* recycled;

static struct pool* new_pool(void) {
  gpu_lock();
  struct pool* pool = recycled;
  recycled = NULL;
  gpu_unlock();
  unsigned let = pool == NULL ? 0 : pool->let;
  if (pool == NULL) pool = malloc(sizeof(struct pool));
  *pool = (struct pool){.let = let};
  return pool;
}

/* Returns the devices with access to a pool's memory, as bits. */
DOUBLE int64_t double_pool_access(const struct pool* pool) { return pool->let; }

static const struct pool* pool_of(uint64_t address) {
  const unsigned* let = gpu_pool_let_of(address);
  return let == NULL ? NULL : (const struct pool*)(const void*)((const char*)let - offsetof(struct pool, let));
}

static int is_missing(const struct pool* pool) {
  if (pool->is_gone) gpu_violation("a pool was used after it was destroyed");
  return pool->is_gone;
}

/* "The current mempool of a device is default memory pool", which no caller creates or destroys. */
static struct pool defaults[GPU_MOST_DEVICES];

API CUresult cuDeviceGetMemPool(struct pool** pool, int ordinal) {
  CALL("cuDeviceGetMemPool");
  gpu_device* device = gpu_at(ordinal);
  if (device == NULL) return GPU_INVALID_VALUE;
  if (!gpu_has_pools()) return GPU_NOT_SUPPORTED;
  *pool = &defaults[ordinal];
  (*pool)->device = device;
  (*pool)->kind = GPU_DEVICE;
  (*pool)->waits = 1;
  (*pool)->let |= 1U << ordinal;
  return GPU_OK;
}

/* The blocks of pools in main memory: cuMemFreeAsync frees them, but no other pinned memory. */
#define MOST_HOST_BLOCKS 8
static uint64_t host_blocks[MOST_HOST_BLOCKS];

/* Returns how many allocations a pool has served. */
DOUBLE int64_t double_served(const struct pool* pool) { return __atomic_load_n(&pool->served, __ATOMIC_SEQ_CST); }

API CUresult cuMemPoolCreate(struct pool** pool, const struct properties* properties) {
  CALL("cuMemPoolCreate");
  static const char zeroes[72];
  if (!gpu_has_pools()) return GPU_NOT_SUPPORTED;
  int is_host = properties->location_type == 2; /* "CU_MEM_LOCATION_TYPE_HOST: Location is host, id is ignored" */
  if (properties->type != 1 || (properties->handles & ~VMM_FABRIC) != 0) return GPU_INVALID_VALUE;
  if (properties->handles != 0 && (is_host || gpu_driver_version() < FABRIC_SINCE)) return GPU_INVALID_VALUE;
  int refused = vmm_refused(properties->handles);
  if (refused != GPU_OK) return refused;
  if (properties->location_type != 1 && !is_host) return GPU_INVALID_VALUE;
  if (memcmp(properties->rest, zeroes, sizeof(zeroes)) != 0) return GPU_INVALID_VALUE;
  gpu_device* device = gpu_at(is_host ? 0 : properties->location);
  if (device == NULL) return GPU_INVALID_VALUE;
  *pool = new_pool();
  (*pool)->device = device;
  (*pool)->kind = is_host ? GPU_PINNED : GPU_DEVICE;
  (*pool)->let |= 1U << gpu_ordinal(device);
  (*pool)->waits = 1;
  (*pool)->types = properties->handles;
  (*pool)->number = (uint64_t)*pool;
  return GPU_OK;
}

/* See ipc.h. */
API CUresult cuMemPoolExportToShareableHandle(void* out, struct pool* pool, int type, unsigned long long flags) {
  CALL("cuMemPoolExportToShareableHandle");
  if (flags != 0 || type != VMM_FABRIC || (pool->types & type) == 0 || pool->process != 0) return GPU_INVALID_VALUE;
  int refused = vmm_refused(type);
  if (refused != GPU_OK) return refused;
  pool->is_exported = 1;
  ipc_export_pool(pool->number, gpu_ordinal(pool->device), out);
  return GPU_OK;
}

API CUresult cuMemPoolImportFromShareableHandle(struct pool** pool, void* in, int type, unsigned long long flags) {
  CALL("cuMemPoolImportFromShareableHandle");
  int ordinal = 0;
  int process = 0;
  uint64_t number = 0;
  if (flags != 0 || type != VMM_FABRIC) return GPU_INVALID_VALUE;
  int code = vmm_refused(type);
  if (code == GPU_OK) code = ipc_import_pool(in, &number, &process, &ordinal);
  if (code != GPU_OK) return code;
  struct pool* imported = new_pool();
  imported->device = gpu_at(ordinal);
  imported->kind = GPU_DEVICE;
  imported->let |= 1U << ordinal;
  imported->types = type;
  imported->number = number;
  imported->process = process;
  gpu_lock();
  gpu_counted(LIVE_POOLS, 1);
  gpu_unlock();
  *pool = imported;
  return GPU_OK;
}

API CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* out, uint64_t address) {
  CONTEXT("cuMemPoolExportPointer");
  const struct pool* pool = pool_of(address);
  return pool == NULL || !pool->is_exported ? GPU_INVALID_VALUE : ipc_export_pooled(address, (ipc_handle*)out);
}

API CUresult cuMemPoolImportPointer(uint64_t* address, struct pool* pool, CUmemPoolPtrExportData* in) {
  CONTEXT("cuMemPoolImportPointer");
  if (gpu_driver_version() / 10 == 1300) gpu_violation("memory of a pool is imported with a driver that may end the process"); /* see ipc.h */
  if (is_missing(pool) || pool->process == 0) return GPU_INVALID_VALUE;
  int code = ipc_open_pooled(pool->device, (ipc_handle*)in, pool->number, pool->process, address);
  if (code == GPU_OK && gpu_pool_let_of(*address) == NULL) gpu_let_as(*address, &pool->let); /* not if it is the second import */
  return code;
}

/* "the resources associated with the pool will be released automatically once there are no more outstanding
   allocations": this one keeps them, as the blocks refer to it. */
API CUresult cuMemPoolDestroy(struct pool* pool) {
  CALL("cuMemPoolDestroy");
  if (pool == NULL || is_missing(pool)) return GPU_INVALID_VALUE;
  if (pool->process == 0) return GPU_OK;
  pool->is_gone = 1;
  gpu_lock();
  gpu_counted(LIVE_POOLS, -1);
  if (!gpu_is_pool_used(&pool->let) && recycled == NULL) recycled = pool;
  gpu_unlock();
  return GPU_OK;
}

API CUresult cuMemPoolSetAttribute(struct pool* pool, int attribute, void* value) {
  CALL("cuMemPoolSetAttribute");
  if (attribute == 3) {
    memcpy(&pool->waits, value, sizeof(int));
    return GPU_OK;
  }
  if (attribute != 4) return GPU_INVALID_VALUE;
  memcpy(&pool->threshold, value, sizeof(uint64_t));
  return GPU_OK;
}

/* openucx/ucx sets the access of an imported pool's own device too (cuda_ipc_cache.c). cuda-python takes access back by
   flags of 0 (cuda_core's memory.cpp). */
API CUresult cuMemPoolSetAccess(struct pool* pool, const struct access* list, size_t count) {
  CALL("cuMemPoolSetAccess");
  if (is_missing(pool)) return GPU_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    if (list[i].location_type != 1 || gpu_at(list[i].location) == NULL || (list[i].flags != 3 && list[i].flags != 0)) return GPU_INVALID_VALUE;
    if (list[i].location == gpu_ordinal(pool->device) && (pool->process == 0 || list[i].flags == 0)) return GPU_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; i++) {
    unsigned bit = 1U << list[i].location;
    pool->let = list[i].flags == 0 ? pool->let & ~bit : pool->let | bit;
  }
  return GPU_OK;
}

API CUresult cuMemPoolTrimTo(struct pool* pool, size_t bytes) {
  CALL("cuMemPoolTrimTo");
  return pool == NULL || bytes > gpu_total() ? GPU_INVALID_VALUE : GPU_OK;
}

/* See vmm.h. These functions need no context; flags are reserved. */
struct creation { int type; int handles; int location_type; int location; void* windows; char compression; char rdma; char rest[6]; }; /* CUmemAllocationProp */

static int check_creation(const struct creation* properties) {
  int is_plain = properties->type == 1 && properties->location_type == 1 && properties->windows == NULL && properties->compression == 0 && properties->rdma == 0;
  return is_plain && gpu_at(properties->location) != NULL && (properties->handles & ~VMM_FABRIC) == 0 ? GPU_OK : GPU_INVALID_VALUE;
}

API CUresult cuMemGetAllocationGranularity(size_t* bytes, const struct creation* properties, int option) {
  CALL("cuMemGetAllocationGranularity");
  if (check_creation(properties) != GPU_OK || (option != 0 && option != 1)) return GPU_INVALID_VALUE;
  *bytes = VMM_GRANULARITY;
  return GPU_OK;
}

API CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const struct creation* properties, unsigned long long flags) {
  CALL("cuMemCreate");
  if (flags != 0 || check_creation(properties) != GPU_OK) return GPU_INVALID_VALUE;
  return vmm_create(gpu_at(properties->location), bytes, properties->handles, (uint64_t*)handle);
}

API CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  CALL("cuMemRelease");
  return vmm_release(handle);
}

API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  CALL("cuMemRetainAllocationHandle");
  return vmm_retain((uint64_t)address, (uint64_t*)handle);
}

API CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr hint, unsigned long long flags) {
  CALL("cuMemAddressReserve");
  return flags != 0 || hint != 0 || alignment != 0 ? GPU_INVALID_VALUE : vmm_reserve(gpu_at(0), bytes, address);
}

API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  CALL("cuMemAddressFree");
  return vmm_unreserve(address, bytes);
}

API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags) {
  CALL("cuMemMap");
  return flags != 0 || offset != 0 ? GPU_INVALID_VALUE : vmm_map(address, bytes, handle);
}

API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  CALL("cuMemUnmap");
  return vmm_unmap(address, bytes);
}

/* A device without access to the memory's device gets no access. */
API CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const struct access* list, size_t count) {
  CALL("cuMemSetAccess");
  int owner = -1;
  if (gpu_kind_of(address, &owner) != GPU_DEVICE || owner < 0 || count == 0) return GPU_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    gpu_device* device = list[i].location_type == 1 ? gpu_at(list[i].location) : NULL;
    if (device == NULL || list[i].flags != 3) return GPU_INVALID_VALUE;
    if (list[i].location != owner && !gpu_can_reach(device, gpu_at(owner))) return GPU_INVALID_DEVICE;
  }
  int code = GPU_OK;
  for (size_t i = 0; i < count && code == GPU_OK; i++) code = vmm_let(address, bytes, list[i].location);
  return code;
}

API CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle, int type, unsigned long long flags) {
  CALL("cuMemExportToShareableHandle");
  return flags != 0 ? GPU_INVALID_VALUE : vmm_export(handle, type, out);
}

API CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* in, int type) {
  CALL("cuMemImportFromShareableHandle");
  return vmm_import(in, type, (uint64_t*)handle);
}


/* "Allow cuMemAllocAsync to insert new stream dependencies in order to establish the stream ordering required to reuse
   a piece of memory released by cuMemFreeAsync (default enabled)": CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES.
   The simulator does so whenever it can. */
API CUresult cuMemAllocFromPoolAsync(uint64_t* address, size_t bytes, struct pool* pool, CUstream stream) {
  CONTEXT("cuMemAllocFromPoolAsync");
  if (gpu_stream_device(stream_of(context, stream)) == NULL) return GPU_INVALID_HANDLE;
  if (pool->process != 0) return GPU_INVALID_VALUE;
  int is_reusing = pool->kind == GPU_DEVICE && pool->types == 0;
  int is_reused = is_reusing && gpu_reuse(stream_of(context, stream), bytes, &pool->let, address);
  int code = pool->waits && !is_reused ? gpu_wait_for_frees(stream_of(context, stream)) : GPU_OK;
  if (code == GPU_OK && pool->types != 0) {
    code = ipc_allocate_pooled(pool->device, bytes, pool->number, address);
  } else if (code == GPU_OK && !is_reused) {
    code = gpu_allocate(pool->device, pool->kind, bytes, address);
  }
  if (code == GPU_OK && pool->kind == GPU_DEVICE) gpu_let_as(*address, &pool->let);
  if (code == GPU_OK && pool->kind == GPU_PINNED) {
    int i = 0;
    while (i < MOST_HOST_BLOCKS && !__sync_bool_compare_and_swap(&host_blocks[i], 0, *address)) i++;
    if (i == MOST_HOST_BLOCKS) gpu_violation("pools have more blocks of main memory than the simulator can note");
  }
  if (code == GPU_OK) __atomic_fetch_add(&pool->served, 1, __ATOMIC_SEQ_CST);
  return code;
}

API CUresult cuMemFreeAsync(uint64_t address, CUstream stream) {
  CONTEXT("cuMemFreeAsync");
  enum gpu_kind kind = GPU_DEVICE;
  for (int i = 0; i < MOST_HOST_BLOCKS; i++) {
    if (__sync_bool_compare_and_swap(&host_blocks[i], address, 0)) kind = GPU_PINNED;
  }
  return gpu_free_async(stream_of(context, stream), kind, address);
}

/* Only a pool's device has access to its memory, until cuMemPoolSetAccess lets another, with any peer access
   ("By default, only the device where allocations reside has access", CUDA Programming Guide, stream-ordered
   allocator). Other memory is reached by peer access. Without access a copy by addresses alone fails, and a copy that
   names the contexts goes through main memory ("This function may also be used to copy between devices without peer
   access", of the family of cuMemcpyPeer). No source says whether a copy to or from main memory needs access to a pool:
   it succeeds here. */
static int is_reached(CUcontext context, uint64_t address, int ordinal) {
  int here = gpu_ordinal(context);
  int let = gpu_is_let(address, here);
  if (let < 0) let = gpu_is_let_by_pool(address, here);
  return let >= 0 ? let : ordinal == here || peers[here][ordinal];
}

/* Even the memory's own device has no access to mapped memory until access is set. */
static int is_far(CUcontext context, uint64_t to, uint64_t from) {
  if (gpu_is_let(to, gpu_ordinal(context)) == 0 || gpu_is_let(from, gpu_ordinal(context)) == 0) return 1;
  int to_ordinal = -1;
  int from_ordinal = -1;
  if (gpu_kind_of(to, &to_ordinal) != GPU_DEVICE || gpu_kind_of(from, &from_ordinal) != GPU_DEVICE) return 0;
  if (to_ordinal < 0 || from_ordinal < 0 || to_ordinal == from_ordinal) return 0;
  return !is_reached(context, to, to_ordinal) || !is_reached(context, from, from_ordinal);
}

API CUresult cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, CUstream stream) {
  CONTEXT("cuMemcpyAsync");
  if (is_far(context, to, from)) return GPU_INVALID_VALUE;
  return gpu_copy(stream_of(context, stream), to, from, bytes, 1);
}

API CUresult cuMemcpyPeerAsync(uint64_t to, CUcontext to_context, uint64_t from, CUcontext from_context, size_t bytes, CUstream stream) {
  CONTEXT("cuMemcpyPeerAsync");
  int to_ordinal = -1;
  int from_ordinal = -1;
  gpu_kind_of(to, &to_ordinal);
  gpu_kind_of(from, &from_ordinal);
  if (gpu_at(to_ordinal) != to_context || gpu_at(from_ordinal) != from_context) return GPU_INVALID_VALUE;
  /* On driver 590.48.01 such a copy into a pool whose memory the other GPU may access wrote nothing, without an error
     (JuliaGPU/CUDA.jl pull request 3112). */
  if (to_ordinal != from_ordinal && !is_far(context, to, from)) return GPU_OK;
  return gpu_copy(stream_of(context, stream), to, from, bytes, 1);
}

struct attributes { int order; int from_type; int from; int to_type; int to; unsigned flags; }; /* CUmemcpyAttributes */

/* A call with 51,828 pieces ended the process on driver 580. A violation is recorded at a fifth of that. */
#define MOST_PIECES 10240
static size_t most_pieces;
static int64_t overlapping;

/*
 * In a random order, because none is specified. Users saw three rules that the documentation does not state. Pieces of
 * 0 bytes are rejected (rapidsai/rmm issue 2509). A captured stream returns 900: the capture goes on, and nothing is
 * copied (rmm issue 2518). The addresses are those of the GPU: if it has registered memory at other addresses than the
 * CPU (CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM is 0), the copy fails later, with an error that stays. cuMemcpyAsync
 * translates such addresses (sgl-project/sglang issue 40232, on WSL2).
 */
static int copy_batch(CUcontext context, uint64_t* to, uint64_t* from, size_t* bytes, size_t count, struct attributes* attributes, size_t* first,
                      size_t kinds, CUstream stream) {
  if (!has_batches) return GPU_NOT_SUPPORTED;
  if ((uintptr_t)stream < HANDLE_OF_DEFAULT || count == 0 || kinds != 1 || first[0] != 0 || attributes->order != 1 || attributes->flags > 1)
    return GPU_INVALID_VALUE;
  if (count > most_pieces) most_pieces = count;
  overlapping += attributes->flags; /* CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE */
  if (count > MOST_PIECES) gpu_violation("one call queues %zu copies, which may end the process", count);
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] == 0 || is_far(context, to[i], from[i])) return GPU_INVALID_VALUE;
  }
  int is_captured = 0;
  if (gpu_stream_is_captured(stream_of(context, stream), &is_captured) == GPU_OK && is_captured) return GPU_CAPTURE_UNSUPPORTED;
  for (size_t i = count; i-- > 0;) {
    int is_shifted = gpu_shifted() && (gpu_is_registered(to[i]) || gpu_is_registered(from[i]));
    int code = is_shifted ? gpu_fault(stream_of(context, stream)) : gpu_copy(stream_of(context, stream), to[i], from[i], bytes[i], 1);
    if (code != GPU_OK) return code;
  }
  return GPU_OK;
}

/* The function of CUDA 12.8, and that of 13.0, which does not return the failed copy. */
API CUresult cuMemcpyBatchAsync(uint64_t* to, uint64_t* from, size_t* bytes, size_t count, struct attributes* attributes, size_t* first, size_t kinds,
                                size_t* failed, CUstream stream) {
  CONTEXT("cuMemcpyBatchAsync");
  *failed = SIZE_MAX;
  return copy_batch(context, to, from, bytes, count, attributes, first, kinds, stream);
}

API CUresult cuMemcpyBatchAsync_v2(uint64_t* to, uint64_t* from, size_t* bytes, size_t count, struct attributes* attributes, size_t* first, size_t kinds,
                                   CUstream stream) {
  CONTEXT("cuMemcpyBatchAsync");
  return copy_batch(context, to, from, bytes, count, attributes, first, kinds, stream);
}

/* Returns the largest number of pieces of a batch since the last call. */
DOUBLE int64_t double_most_pieces(void) {
  size_t most = most_pieces;
  most_pieces = 0;
  return (int64_t)most;
}

/* Returns the number of batches since the last call that prefer to overlap with kernels. */
DOUBLE int64_t double_overlapping(void) {
  int64_t batches = overlapping;
  overlapping = 0;
  return batches;
}

/* Sets whether the driver copies batches; one before 12.8 does not. */
DOUBLE void double_batches(int has) { has_batches = has; }

API CUresult cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  CONTEXT("cuMemcpyDtoH");
  return gpu_copy(gpu_default_stream(context), (uint64_t)to, from, bytes, 1);
}

API CUresult cuPointerGetAttribute(void* value, int attribute, uint64_t address) {
  CONTEXT("cuPointerGetAttribute");
  int ordinal = -1;
  enum gpu_kind kind = gpu_kind_of(address, &ordinal);
  if (kind == GPU_PAGEABLE || ordinal < 0) return GPU_INVALID_VALUE;
  switch (attribute) {
    case 2: *(unsigned*)value = kind == GPU_PINNED ? 1 : 2; return GPU_OK;
    case 8: *(unsigned*)value = kind == GPU_MANAGED; return GPU_OK;
    case 9: *(int*)value = ordinal; return GPU_OK;
    case 10: *(unsigned*)value = machine != JETSON && ipc_is_exportable(address); return GPU_OK; /* by cuIpcGetMemHandle */
    case 11: *(uint64_t*)value = gpu_start_of(address); return GPU_OK;
    case 12: *(size_t*)value = gpu_size_of(address); return GPU_OK;
    case 16: *(int*)value = kind != GPU_DEVICE || is_reached(context, address, ordinal) ? 3 : 0; return GPU_OK; /* CU_POINTER_ATTRIBUTE_ACCESS_FLAGS */
    case 14: { /* openucx/ucx reads those of a pool here as well (cuda_ipc_md.c) */
      const struct pool* pool = pool_of(address);
      *(uint64_t*)value = (uint64_t)(pool != NULL ? pool->types : vmm_handle_types(address));
      return GPU_OK;
    }
    case 17: /* "the handle to the mempool that the allocation was obtained from"; CUDA 11.3 */
      if (gpu_driver_version() < 11030) return GPU_INVALID_VALUE;
      *(const struct pool**)value = pool_of(address);
      return GPU_OK;
    default: return GPU_INVALID_VALUE;
  }
}

API CUresult cuStreamCreate(gpu_stream** stream, unsigned flags) {
  UNLESS_FULL("cuStreamCreate");
  if (flags > 1) return GPU_INVALID_VALUE;
  int code = gpu_stream_create(context, stream, (int)flags);
  if (code == GPU_OK) gpu_stream_own(*stream, owner_of(CURRENT));
  return code;
}

API CUresult cuStreamDestroy_v2(CUstream stream) {
  UNLESS_FULL("cuStreamDestroy");
  return gpu_stream_destroy(stream);
}

API CUresult cuStreamQuery(CUstream stream) {
  CONTEXT("cuStreamQuery");
  return gpu_stream_query(stream_of(context, stream));
}

API CUresult cuStreamSynchronize(CUstream stream) {
  CONTEXT("cuStreamSynchronize");
  return gpu_stream_synchronize(stream_of(context, stream));
}

/* A stream other than the context's default stream needs no context: cuda.h does not list CUDA_ERROR_INVALID_CONTEXT
   for this function. */
API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  CALL("cuStreamIsCapturing");
  if ((uintptr_t)stream <= HANDLE_OF_DEFAULT && CURRENT == NULL) return GPU_NO_CONTEXT;
  int is = 0;
  CUresult code = gpu_stream_is_captured(stream_of(CURRENT, stream), &is);
  if (code == GPU_OK) *status = is;
  return code;
}

/* A test names the one stream that was created in a green context. */
static struct green { CUstream stream; char context; } green;

DOUBLE void double_green(CUstream stream) { green.stream = stream; }

static CUcontext context_of(gpu_device* device, CUstream stream) {
  if ((uintptr_t)stream <= HANDLE_OF_DEFAULT) return CURRENT;
  const void* its = gpu_stream_device(stream) == NULL ? NULL : gpu_stream_context(stream);
  return its == NULL ? device : (CUcontext)(void*)its;
}

API CUresult cuStreamGetCtx(CUstream stream, CUcontext* its) {
  CONTEXT("cuStreamGetCtx");
  gpu_device* device = gpu_stream_device(stream_of(context, stream));
  if (device == NULL) return GPU_INVALID_HANDLE;
  *its = stream != NULL && stream == green.stream ? (CUcontext)(void*)&green.context : context_of(device, stream);
  return GPU_OK;
}

API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* its, CUgreenCtx* its_green) {
  CONTEXT("cuStreamGetCtx_v2");
  gpu_device* device = gpu_stream_device(stream_of(context, stream));
  if (device == NULL) return GPU_INVALID_HANDLE;
  struct context* other = other_context(context_of(device, stream));
  int is_green = (stream != NULL && stream == green.stream) || (other != NULL && other->is_green);
  *its = is_green ? device : context_of(device, stream);
  *its_green = is_green ? &green : NULL;
  return GPU_OK;
}

API CUresult cuStreamWaitEvent(CUstream stream, gpu_event* event, unsigned flags) {
  CONTEXT("cuStreamWaitEvent");
  return flags != 0 ? GPU_INVALID_VALUE : gpu_event_wait(stream_of(context, stream), event);
}

API CUresult cuStreamWaitValue32_v2(CUstream stream, uint64_t address, uint32_t value, unsigned flags) {
  CONTEXT("cuStreamWaitValue32");
  if (flags != 0 || gpu_kind_of(address, NULL) != GPU_PINNED) return GPU_INVALID_VALUE;
  return gpu_wait_value(stream_of(context, stream), address, value);
}

API CUresult cuLaunchHostFunc(CUstream stream, gpu_function* function, void* data) {
  UNLESS_FULL("cuLaunchHostFunc");
  return gpu_launch_host(stream_of(context, stream), function, data);
}

API CUresult cuEventCreate(gpu_event** event, unsigned flags) {
  UNLESS_FULL("cuEventCreate");
  if (flags > 7 || ((flags & EVENT_INTERPROCESS) && !(flags & EVENT_DISABLE_TIMING))) return GPU_INVALID_VALUE;
  int code = flags & EVENT_INTERPROCESS ? ipc_event_create(context, event) : gpu_event_create(context, event);
  if (code == GPU_OK) gpu_event_own(*event, owner_of(CURRENT));
  return code;
}

API CUresult cuEventDestroy_v2(gpu_event* event) {
  UNLESS_FULL("cuEventDestroy");
  return gpu_event_destroy(event);
}

API CUresult cuEventRecord(gpu_event* event, CUstream stream) {
  CONTEXT("cuEventRecord");
  return gpu_event_record(event, stream_of(context, stream));
}

API CUresult cuEventQuery(gpu_event* event) {
  CONTEXT("cuEventQuery");
  return gpu_event_query(event);
}

API CUresult cuEventSynchronize(gpu_event* event) {
  CONTEXT("cuEventSynchronize");
  return gpu_event_synchronize(event);
}

/* A module is a copy of its text, and a function is a copy of its name. A test defines the kernel by double_kernel. */
API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  CONTEXT("cuModuleLoadData");
  *module = strdup(image);
  return GPU_OK;
}

API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  CONTEXT("cuModuleGetFunction");
  char entry[80];
  snprintf(entry, sizeof(entry), ".entry %s(", name);
  if (strstr(module, entry) == NULL || !gpu_has_kernel(name)) return GPU_NOT_FOUND;
  *function = strdup(name); /* valid until the process ends, like a real function in its module */
  return GPU_OK;
}

API CUresult cuModuleUnload(CUmodule module) {
  CONTEXT("cuModuleUnload");
  free(module);
  return GPU_OK;
}

static unsigned grid[6];

/* Returns a dimension of the last launch: three of the grid, three of a block. */
DOUBLE int double_grid(int dimension) { return (int)grid[dimension]; }

API CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared, CUstream stream, void** parameters, void** extra) {
  CONTEXT("cuLaunchKernel");
  (void)shared;
  if (gx == 0 || gy == 0 || gz == 0 || bx == 0 || by == 0 || bz == 0 || (size_t)bx * by * bz > 1024 || extra != NULL) return GPU_INVALID_VALUE;
  unsigned dimensions[] = {gx, gy, gz, bx, by, bz};
  memcpy(grid, dimensions, sizeof(grid));
  return gpu_launch_kernel(stream_of(context, stream), function, parameters);
}
