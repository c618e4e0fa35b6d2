/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of HIP that Arbalest and its tests call, as its hip_runtime_api.h declares them. The double defines them; the tests lay them beside
 * the real header, where there is one, and beside what Java calls. One to a line.
 *
 * Included by: hip.c
 */
#ifndef ARBALEST_HIP_API_H
#define ARBALEST_HIP_API_H

#ifndef HIP_VERSION_MAJOR /* else the real hip_runtime_api.h was read before, and these are its types */
#include "queue.h"

typedef int hipError_t;
typedef int hipDevice_t;
typedef int hipMemcpyKind;
typedef int hipMemPoolAttr;
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

hipError_t hipRuntimeGetVersion(int* version);
const char* hipGetErrorName(hipError_t code);
hipError_t hipGetLastError(void);
hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceGetName(char* name, int size, hipDevice_t device);
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device);
hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device);
hipError_t hipDeviceGetPCIBusId(char* id, int size, int device);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags);
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode);
hipError_t hipMemGetInfo(size_t* free, size_t* total);
hipError_t hipMalloc(void** address, size_t bytes);
hipError_t hipFree(void* address);
hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t address);
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address);
hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle, unsigned int flags);
hipError_t hipIpcCloseMemHandle(void* address);
hipError_t hipHostMalloc(void** address, size_t bytes, unsigned int flags);
hipError_t hipHostFree(void* address);
hipError_t hipHostRegister(void* address, size_t bytes, unsigned int flags);
hipError_t hipHostUnregister(void* address);
hipError_t hipHostGetDevicePointer(void** address, void* host, unsigned int flags);
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties);
hipError_t hipMemPoolDestroy(hipMemPool_t pool);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* list, size_t count);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t bytes);
hipError_t hipMallocFromPoolAsync(void** address, size_t bytes, hipMemPool_t pool, hipStream_t stream);
hipError_t hipFreeAsync(void* address, hipStream_t stream);
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count, hipMemcpyAttributes* attributes, size_t* first, size_t kinds, size_t* failed, hipStream_t stream);
hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute* attributes, void** values, hipDeviceptr_t address);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags);
hipError_t hipStreamWaitValue32(hipStream_t stream, void* address, uint32_t value, unsigned int flags, uint32_t mask);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned int flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipModuleLoadData(hipModule_t* module, const void* image);
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, hipStream_t stream, void** parameters, void** extra);

#endif
