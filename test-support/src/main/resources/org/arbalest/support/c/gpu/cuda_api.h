/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of CUDA's driver API that Arbalest and its tests call, as in its cuda.h. The simulator defines them.
 * The tests compare them with the real header, if it is installed, and with the calls from Java. One per line, with the
 * first CUDA version that has it: a simulator of an older version is compiled without it.
 *
 * Included by: cuda.c
 */
#ifndef ARBALEST_CUDA_API_H
#define ARBALEST_CUDA_API_H

#ifndef CUDA_VERSION /* otherwise the real cuda.h was included before, and these are its types */
#include "queue.h"

typedef int CUresult;
typedef int CUdevice;
typedef int CUdevice_attribute;
typedef int CUpointer_attribute;
typedef int CUmemPool_attribute;
typedef int CUstreamCaptureMode;
typedef int CUstreamCaptureStatus;
typedef int CUmem_advise;
typedef struct { int type; int id; } CUmemLocation;
typedef uint32_t cuuint32_t;
typedef uint64_t CUdeviceptr;
typedef gpu_device* CUcontext; /* for a context that is not primary, see cuda.c */
typedef struct green* CUgreenCtx;
typedef gpu_stream* CUstream;
typedef gpu_event* CUevent;
typedef gpu_function* CUhostFn;
typedef char* CUmodule;
typedef char* CUfunction;
typedef struct pool* CUmemoryPool;
typedef struct properties CUmemPoolProps;
typedef struct access CUmemAccessDesc;
typedef struct creation CUmemAllocationProp;
typedef int CUmemAllocationHandleType;
typedef int CUmemAllocationGranularity_flags;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct attributes CUmemcpyAttributes;
typedef struct { char bytes[16]; } CUuuid;
typedef struct { char bytes[64]; } CUipcMemHandle;
typedef struct { char bytes[64]; } CUmemPoolPtrExportData;
typedef struct { char bytes[64]; } CUipcEventHandle;
#else
#undef cuDevicePrimaryCtxRelease /* here it is the function of CUDA 7, which libraries still have; 11.0's is _v2 */
#undef cuIpcOpenMemHandle /* here it is the function of CUDA 4.1, likewise */
#undef cuMemPrefetchAsync /* here they are those of CUDA 8, which libraries still have; those of 12.2 are _v2 */
#undef cuMemAdvise
#undef cuMemcpyBatchAsync /* the header defines it as the newest version */
#undef cuStreamGetCtx /* likewise */
#if CUDA_VERSION < 12040
typedef void* CUgreenCtx;
#endif
#if CUDA_VERSION < 12080
typedef void CUmemcpyAttributes;
#endif
#endif

CUresult cuInit(unsigned int flags); /* 2.0 */
CUresult cuDriverGetVersion(int* version); /* 2.2 */
CUresult cuGetErrorName(CUresult code, const char** name); /* 6.0 */
CUresult cuDeviceGetCount(int* count); /* 2.0 */
CUresult cuDeviceGet(CUdevice* device, int ordinal); /* 2.0 */
CUresult cuDeviceGetName(char* name, int size, CUdevice device); /* 2.0 */
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device); /* 3.2 */
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device); /* 2.0 */
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device); /* 11.4 */
CUresult cuDeviceGetPCIBusId(char* id, int size, CUdevice device); /* 4.1 */
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer); /* 4.0 */
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device); /* 7.0 */
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device); /* 11.0 */
CUresult cuDevicePrimaryCtxRelease(CUdevice device); /* 7.0 */
CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device); /* 3.2 */
CUresult cuCtxDestroy_v2(CUcontext context); /* 4.0 */
CUresult cuCtxPushCurrent_v2(CUcontext context); /* 4.0 */
CUresult cuCtxPopCurrent_v2(CUcontext* context); /* 4.0 */
CUresult cuCtxGetCurrent(CUcontext* context); /* 4.0 */
CUresult cuCtxGetDevice(CUdevice* device); /* 2.0 */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags); /* 4.0 */
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode); /* 10.1 */
CUresult cuMemGetInfo_v2(size_t* free, size_t* total); /* 3.2 */
CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes); /* 3.2 */
CUresult cuMemFree_v2(CUdeviceptr address); /* 3.2 */
CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address); /* 3.2 */
CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address); /* 4.1 */
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags); /* 11.0 */
CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags); /* 4.1 */
CUresult cuIpcCloseMemHandle(CUdeviceptr address); /* 4.1 */
CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event); /* 4.1 */
CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle); /* 4.1 */
CUresult cuMemHostAlloc(void** address, size_t bytes, unsigned int flags); /* 2.2 */
CUresult cuMemFreeHost(void* address); /* 2.0 */
CUresult cuMemHostRegister_v2(void* address, size_t bytes, unsigned int flags); /* 6.5 */
CUresult cuMemHostUnregister(void* address); /* 4.0 */
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags); /* 6.0 */
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream); /* 8.0 */
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags, CUstream stream); /* 12.2 */
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device); /* 8.0 */
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location); /* 12.2 */
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties); /* 11.2 */
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device); /* 11.2 */
CUresult cuMemPoolDestroy(CUmemoryPool pool); /* 11.2 */
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value); /* 11.2 */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* list, size_t count); /* 11.2 */
CUresult cuMemPoolExportToShareableHandle(void* out, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags); /* 11.2 */
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* in, CUmemAllocationHandleType type, unsigned long long flags); /* 11.2 */
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* out, CUdeviceptr address); /* 11.2 */
CUresult cuMemPoolImportPointer(CUdeviceptr* address, CUmemoryPool pool, CUmemPoolPtrExportData* in); /* 11.2 */
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes); /* 11.2 */
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream); /* 11.2 */
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream); /* 11.2 */
CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties, CUmemAllocationGranularity_flags option); /* 10.2 */
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties, unsigned long long flags); /* 10.2 */
CUresult cuMemRelease(CUmemGenericAllocationHandle handle); /* 10.2 */
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address); /* 11.0 */
CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr hint, unsigned long long flags); /* 10.2 */
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes); /* 10.2 */
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags); /* 10.2 */
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes); /* 10.2 */
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* list, size_t count); /* 10.2 */
CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type, unsigned long long flags); /* 10.2 */
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* in, CUmemAllocationHandleType type); /* 10.2 */
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream); /* 4.0 */
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream); /* 4.0 */
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count, CUmemcpyAttributes* attributes, size_t* first, size_t kinds, CUstream stream); /* 13.0 */
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count, CUmemcpyAttributes* attributes, size_t* first, size_t kinds, size_t* failed, CUstream stream); /* 12.8 */
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes); /* 3.2 */
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address); /* 4.0 */
CUresult cuStreamCreate(CUstream* stream, unsigned int flags); /* 2.0 */
CUresult cuStreamDestroy_v2(CUstream stream); /* 4.0 */
CUresult cuStreamQuery(CUstream stream); /* 2.0 */
CUresult cuStreamSynchronize(CUstream stream); /* 2.0 */
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status); /* 10.0 */
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context); /* 9.2 */
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green); /* 12.5 */
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags); /* 3.2 */
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags); /* 11.7 */
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data); /* 10.0 */
CUresult cuEventCreate(CUevent* event, unsigned int flags); /* 2.0 */
CUresult cuEventDestroy_v2(CUevent event); /* 4.0 */
CUresult cuEventRecord(CUevent event, CUstream stream); /* 2.0 */
CUresult cuEventQuery(CUevent event); /* 2.0 */
CUresult cuEventSynchronize(CUevent event); /* 2.0 */
CUresult cuModuleLoadData(CUmodule* module, const void* image); /* 2.0 */
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name); /* 2.0 */
CUresult cuModuleUnload(CUmodule module); /* 2.0 */
CUresult cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void** parameters, void** extra); /* 4.0 */

#endif
