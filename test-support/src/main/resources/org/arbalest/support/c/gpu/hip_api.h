/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of HIP that Arbalest and its tests call, as in its hip_runtime_api.h. The simulator defines them. The
 * tests compare them with the real header, if it is installed, and with the calls from Java. One per line, with the
 * first HIP version that has it: a simulator of an older version is compiled without it. Functions older than 4.2 count
 * as 4.2.
 *
 * Included by: hip.c
 */
#ifndef ARBALEST_HIP_API_H
#define ARBALEST_HIP_API_H

#ifndef HIP_VERSION_MAJOR /* otherwise the real hip_runtime_api.h was included before, and these are its types */
#include "queue.h"

typedef int hipError_t;
typedef int hipDevice_t;
typedef int hipMemcpyKind;
typedef int hipMemPoolAttr;
typedef int hipMemAccessFlags;
typedef int hipPointer_attribute;
typedef int hipStreamCaptureMode;
typedef int hipStreamCaptureStatus;
typedef void* hipDeviceptr_t;
typedef gpu_stream* hipStream_t;
typedef gpu_event* hipEvent_t;
typedef gpu_function* hipHostFn_t;
typedef char* hipModule_t;
typedef char* hipFunction_t;
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void* data);
typedef struct pool* hipMemPool_t;
typedef struct properties hipMemPoolProps;
typedef struct access hipMemAccessDesc;
typedef struct location hipMemLocation;
typedef void hipMemcpyAttributes;
typedef struct { char bytes[16]; } hipUUID;
typedef struct { char bytes[64]; } hipIpcMemHandle_t;
#else
#if HIP_VERSION_MAJOR < 6
typedef void (*hipHostFn_t)(void* data);
#endif
#if HIP_VERSION_MAJOR < 7
typedef void hipMemcpyAttributes;
#endif
#endif

hipError_t hipRuntimeGetVersion(int* version); /* 4.2 */
const char* hipGetErrorName(hipError_t code); /* 4.2 */
hipError_t hipGetLastError(void); /* 4.2 */
hipError_t hipGetDeviceCount(int* count); /* 4.2 */
hipError_t hipGetDevice(int* device); /* 4.2 */
hipError_t hipSetDevice(int device); /* 4.2 */
hipError_t hipDeviceGetName(char* name, int size, hipDevice_t device); /* 4.2 */
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device); /* 4.2 */
hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device); /* 5.1 */
hipError_t hipDeviceGetPCIBusId(char* id, int size, int device); /* 4.2 */
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer); /* 4.2 */
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags); /* 4.2 */
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest); /* 4.2 */
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode); /* 5.0 */
hipError_t hipMemGetInfo(size_t* free, size_t* total); /* 4.2 */
hipError_t hipMalloc(void** address, size_t bytes); /* 4.2 */
hipError_t hipFree(void* address); /* 4.2 */
hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t address); /* 4.2 */
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address); /* 4.2 */
hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle, unsigned int flags); /* 4.2 */
hipError_t hipIpcCloseMemHandle(void* address); /* 4.2 */
hipError_t hipHostMalloc(void** address, size_t bytes, unsigned int flags); /* 4.2 */
hipError_t hipHostFree(void* address); /* 4.2 */
hipError_t hipHostRegister(void* address, size_t bytes, unsigned int flags); /* 4.2 */
hipError_t hipHostUnregister(void* address); /* 4.2 */
hipError_t hipHostGetDevicePointer(void** address, void* host, unsigned int flags); /* 4.2 */
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device); /* 5.1 */
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties); /* 5.1 */
hipError_t hipMemPoolDestroy(hipMemPool_t pool); /* 5.1 */
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value); /* 5.1 */
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value); /* 5.1 */
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* list, size_t count); /* 5.1 */
hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool, hipMemLocation* location); /* 5.1 */
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t bytes); /* 5.1 */
hipError_t hipMallocFromPoolAsync(void** address, size_t bytes, hipMemPool_t pool, hipStream_t stream); /* 5.1 */
hipError_t hipFreeAsync(void* address, hipStream_t stream); /* 5.1 */
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream); /* 4.2 */
hipError_t hipMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count, hipMemcpyAttributes* attributes, size_t* first, size_t kinds, size_t* failed, hipStream_t stream); /* 7.1 */
hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute* attributes, void** values, hipDeviceptr_t address); /* 5.0 */
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags); /* 4.2 */
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority); /* 4.2 */
hipError_t hipStreamDestroy(hipStream_t stream); /* 4.2 */
hipError_t hipStreamQuery(hipStream_t stream); /* 4.2 */
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status); /* 4.3 */
hipError_t hipStreamSynchronize(hipStream_t stream); /* 4.2 */
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags); /* 4.2 */
hipError_t hipStreamWaitValue32(hipStream_t stream, void* address, uint32_t value, unsigned int flags, uint32_t mask); /* 4.4 */
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned int flags); /* 4.2 */
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data); /* 5.3 */
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags); /* 4.2 */
hipError_t hipEventDestroy(hipEvent_t event); /* 4.2 */
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream); /* 4.2 */
hipError_t hipEventQuery(hipEvent_t event); /* 4.2 */
hipError_t hipEventSynchronize(hipEvent_t event); /* 4.2 */
hipError_t hipModuleLoadData(hipModule_t* module, const void* image); /* 4.2 */
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name); /* 4.2 */
hipError_t hipModuleUnload(hipModule_t module); /* 4.2 */
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, hipStream_t stream, void** parameters, void** extra); /* 4.2 */

#endif
