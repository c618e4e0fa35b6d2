/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and events that another process opens, by a handle of 64 bytes that any transport may carry: the common part
 * of CUDA and HIP.
 *
 * The rules follow cuda.h at cuIpcGetMemHandle and the functions below it. The handle refers to a whole allocation, of
 * the plain allocator only. Opened memory must be closed, not freed. "calling cuMemFree on an exported memory region
 * before calling cuIpcCloseMemHandle in the importing context will result in undefined behavior", here a violation of
 * the process that frees. Events must be created for sharing, and "performing operations on the imported event after
 * the exported event has been freed with cuEventDestroy will result in undefined behavior", here a violation of the
 * process that uses it. A killed process holds nothing any more. Memory of a killed exporter stays as long as a process
 * has it open (seen in LMCache/LMCache issue 4014).
 *
 * In the process that exported, CUDA rejects opening with "invalid device context" (openucx/ucx pull request 11603),
 * and HIP likewise for events (hipIpcOpenEventHandle) and memory. According to cuda.h a second opening is counted, but
 * it was an error ("resource already mapped", openucx/ucx pull requests 4599 and 11216). Here it is the error, and code
 * must not rely on it either.
 *
 * Included by: ipc.c vmm.h cuda.c hip.c
 */
#ifndef ARBALEST_GPU_IPC_H
#define ARBALEST_GPU_IPC_H

#include "queue.h"

#pragma GCC visibility push(hidden)

typedef struct { char bytes[64]; } ipc_handle;

int ipc_allocate(gpu_device* device, size_t size, uint64_t* address); /* device memory that can be exported */
int ipc_is_exportable(uint64_t address);
int ipc_export(uint64_t base, ipc_handle* handle);
int ipc_open(gpu_device* device, const ipc_handle* handle, uint64_t* base);
int ipc_close(uint64_t base);

/*
 * Memory of a pool that can be shared: cuMemPoolExportToShareableHandle and the functions below it. A pool's number is
 * that of the process that created it.
 *
 * The rules follow cuda.h of CUDA 13.0. "Imported memory pools do not support creating new allocations." "The imported
 * memory must be freed from all importing processes before being freed in the exporting process", here a violation of
 * the exporting process. "If handleType is CU_MEM_HANDLE_TYPE_FABRIC and the importer process has not been granted access
 * to the same IMEX channel as the exporter process, this API will error as CUDA_ERROR_NOT_PERMITTED." The CUDA Programming
 * Guide 13.1, stream-ordered memory allocator, adds: "Imported memory pools are initially only accessible from their
 * resident device", and cudaFree "performs no further synchronization".
 *
 * Users saw more. An allocation that is imported a second time has the same address, and the first free unmaps it for
 * both ("Multiple imports of the same allocation succeed and return duplicate pointers. However, the driver has a
 * reference counting bug where the first cuMemFreeAsync incorrectly unmaps the memory", NVIDIA/cuda-python, cuda_core's
 * memory.cpp, and its issue 2783). Its fix is announced: double_count_imports. cuMemPoolExportPointer fails until the
 * pool was exported, and cuMemPoolImportPointer ended the process on driver 580.126.20, which is CUDA 13.0, for an
 * allocation of more than 4 GiB in a pool with file descriptors (PozzettiAndrea/comfy-env, research/pool-ipc). Here such
 * an import is a violation with any size and any kind of pool.
 */
int ipc_allocate_pooled(gpu_device* device, size_t size, uint64_t pool, uint64_t* address);
void ipc_export_pool(uint64_t pool, int ordinal, ipc_handle* handle);
int ipc_import_pool(const ipc_handle* handle, uint64_t* pool, int* process, int* ordinal);
int ipc_export_pooled(uint64_t base, ipc_handle* handle);
int ipc_open_pooled(gpu_device* device, const ipc_handle* handle, uint64_t pool, int process, uint64_t* base);
int ipc_is_pooled_open(uint64_t base);
int ipc_close_pooled(uint64_t base); /* does not wait for the device */

/* For vmm.c: bytes that stay as long as any process has them, without a record of these processes. */
void* ipc_create(size_t size); /* NULL without memory */
void ipc_drop(void* bytes);    /* locked */
void ipc_describe(void* bytes, int ordinal, ipc_handle* handle); /* locked */
int ipc_import(const ipc_handle* handle, void** bytes, size_t* size, int* ordinal);

int ipc_event_create(gpu_device* device, gpu_event** event); /* one that can be exported */
int ipc_event_export(gpu_event* event, ipc_handle* handle);
int ipc_event_open(gpu_device* device, const ipc_handle* handle, gpu_event** event);

void ipc_uuid(int ordinal, unsigned char uuid[16]); /* the same in each process that sees the GPU, with any ordinal */
void ipc_bus_id(int ordinal, const char* format, char* text, int size);

#pragma GCC visibility pop

#endif
