/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and events that another process opens, by a handle of 64 bytes that any transport may carry: what CUDA and HIP have alike.
 *
 * The rules, as cuda.h says them at cuIpcGetMemHandle and the functions below it: the handle is of a whole allocation, of the plain allocator only; what was
 * opened must be closed, not freed; "calling cuMemFree on an exported memory region before calling cuIpcCloseMemHandle in the importing context will
 * result in undefined behavior", here a violation of the process that frees; events must be made for it, and "performing operations on the imported event
 * after the exported event has been freed with cuEventDestroy will result in undefined behavior", here a violation of the process that uses it. A process
 * that is killed holds nothing any more; memory of a killed exporter stays as long as somebody has it open (as LMCache/LMCache issue 4014 saw it).
 *
 * Opening in the process that exported is refused by CUDA with "invalid device context" (openucx/ucx pull request 11603), and by HIP likewise for events
 * (hipIpcOpenEventHandle) and memory. Opening a second time what is open is counted, says cuda.h, and was an error ("resource already mapped", openucx/ucx
 * pull requests 4599 and 11216): here it is the error, on which nobody may rely either.
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

/* For vmm.c: bytes that stay for as long as any process has them, and nobody need say who has. */
void* ipc_create(size_t size); /* NULL if there is nothing to be had */
void ipc_drop(void* bytes);    /* locked */
void ipc_describe(void* bytes, int ordinal, ipc_handle* handle); /* locked */
int ipc_import(const ipc_handle* handle, void** bytes, size_t* size, int* ordinal);

int ipc_event_create(gpu_device* device, gpu_event** event); /* one that can be exported */
int ipc_event_export(gpu_event* event, ipc_handle* handle);
int ipc_event_open(gpu_device* device, const ipc_handle* handle, gpu_event** event);

void ipc_uuid(int ordinal, unsigned char uuid[16]); /* the same in each process that sees the GPU, whatever its ordinal is there */
void ipc_bus_id(int ordinal, const char* format, char* text, int size);

#pragma GCC visibility pop

#endif
