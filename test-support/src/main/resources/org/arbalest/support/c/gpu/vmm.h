/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is created, and used at an address that was reserved for it: CUDA's virtual memory management, as far as it can be shared with another process.
 *
 * The rules, as cuda.h of CUDA 13.0 has them. Such memory is none of cuMemAlloc's: cuMemFree and cuIpcGetMemHandle refuse it ("The CUDA Virtual Memory Management
 * API functions do not support the legacy interprocess communication functions with their memory", CUDA Programming Guide 13.1, Shareable Memory Allocations).
 * It is shared by the kind of handle that it was created for, here a fabric handle, 64 bytes. cuMemMap: offsets "must be zero", and "calling cuMemMap does not make
 * the address accessible"; who is given access is each device by itself, whatever peers have enabled. cuMemRelease: "The memory allocation will be freed when all
 * outstanding mappings to the memory are unmapped and when all outstanding references to the handle (including it's shareable counterparts) are also released":
 * so whoever frees first harms nobody, unlike with cuMemAlloc's. Whether a fabric handle's bytes can still be imported when all that its process had is released, and
 * with which error not, is said nowhere: here they cannot, with CUDA_ERROR_INVALID_VALUE, though others may have it mapped.
 *
 * Fabric handles need an IMEX channel (cuMemCreate), which the attribute of the device does not tell: without one it is 1, and cuMemCreate answers
 * CUDA_ERROR_NOT_PERMITTED (MoonshotAI/MoonEP pull request 28, in a container; deepseek-ai/DeepEP issue 487), and so does an import.
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
int vmm_create(gpu_device* device, size_t size, int handle_types, uint64_t* handle);
int vmm_release(uint64_t handle);
int vmm_retain(uint64_t address, uint64_t* handle); /* of what is mapped there */
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
