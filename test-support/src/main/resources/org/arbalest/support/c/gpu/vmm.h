/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is created, and used at an address that was reserved for it: CUDA's virtual memory management, the part
 * that can be shared with another process.
 *
 * The rules follow cuda.h of CUDA 13.0. Such memory does not come from cuMemAlloc: cuMemFree and cuIpcGetMemHandle
 * reject it ("The CUDA Virtual Memory Management API functions do not support the legacy interprocess communication
 * functions with their memory", CUDA Programming Guide 13.1, Shareable Memory Allocations). It is shared by the kind of
 * handle that it was created for, here a fabric handle, 64 bytes. cuMemMap: offsets "must be zero", and "calling
 * cuMemMap does not make the address accessible"; each device gets access separately, regardless of enabled peers.
 * cuMemRelease: "The memory allocation will be freed when all outstanding mappings to the memory are unmapped and when
 * all outstanding references to the handle (including it's shareable counterparts) are also released": so the first
 * process that frees harms no other, unlike with cuMemAlloc. No document states whether a fabric handle's bytes can
 * still be imported when its process has released everything, and with which error not: here they cannot, with
 * CUDA_ERROR_INVALID_VALUE, although others may have it mapped.
 *
 * Fabric handles need an IMEX channel (cuMemCreate), which the attribute of the device does not report: without one it
 * is 1, and cuMemCreate returns CUDA_ERROR_NOT_PERMITTED (MoonshotAI/MoonEP pull request 28, in a container;
 * deepseek-ai/DeepEP issue 487), and so does an import.
 *
 * Included by: vmm.c cuda.c
 */
#ifndef ARBALEST_GPU_VMM_H
#define ARBALEST_GPU_VMM_H

#include "ipc.h"

#define VMM_GRANULARITY ((size_t)2 << 20)
#define VMM_FABRIC 8 /* CU_MEM_HANDLE_TYPE_FABRIC */

#pragma GCC visibility push(hidden)

int vmm_has_fabric(void);
int vmm_refused(int types); /* the error of a process that may not use such handles */
int vmm_create(gpu_device* device, size_t size, int handle_types, uint64_t* handle);
int vmm_release(uint64_t handle);
int vmm_retain(uint64_t address, uint64_t* handle); /* of the memory that is mapped there */
int vmm_reserve(gpu_device* device, size_t size, uint64_t* address);
int vmm_unreserve(uint64_t address, size_t size);
int vmm_map(uint64_t address, size_t size, uint64_t handle);
int vmm_unmap(uint64_t address, size_t size);
int vmm_let(uint64_t address, size_t size, int ordinal);
int vmm_export(uint64_t handle, int type, ipc_handle* out);
int vmm_import(const ipc_handle* in, int type, uint64_t* handle);
int vmm_handle_types(uint64_t address); /* 0 for all other memory */

#pragma GCC visibility pop

#endif
