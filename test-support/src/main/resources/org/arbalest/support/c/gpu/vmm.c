// SPDX-License-Identifier: Apache-2.0
/* Created memory, ranges of addresses, and their mappings. See vmm.h. */
#include "vmm.h"

#include <stdlib.h>

enum { WITHOUT_FABRIC, WITH_FABRIC, WITHOUT_CHANNEL };

struct created {
  gpu_device* device;
  void* bytes;
  size_t size;
  int types;
  int is_imported;
  int handles;
  int mappings;
  struct created* next;
};

struct range {
  uint64_t address;
  size_t size;
  gpu_device* device;
  struct created* mapped;
  int was_mapped;
  struct range* next;
};

static struct created* all_created;
static struct range* ranges;
static int fabric = WITH_FABRIC;

/* 0: devices have no fabric handles; 1: they have; 2: they report them, but this process may not use them. */
DOUBLE void double_fabric(int mode) { fabric = mode; }

int vmm_has_fabric(void) { return fabric != WITHOUT_FABRIC; }

int vmm_refused(int types) {
  if ((types & VMM_FABRIC) == 0) return GPU_OK;
  return fabric == WITH_FABRIC ? GPU_OK : fabric == WITHOUT_CHANNEL ? GPU_NOT_PERMITTED : GPU_NOT_SUPPORTED;
}

/* Locked, like all static data below. */
static struct created* of_handle(uint64_t handle) {
  for (struct created* created = all_created; created != NULL; created = created->next) {
    if ((uint64_t)created == handle && created->handles > 0) return created;
  }
  gpu_violation("0x%llx is no handle of memory", (unsigned long long)handle);
  return NULL;
}

static struct range* at(uint64_t address, size_t size) {
  for (struct range* range = ranges; range != NULL; range = range->next) {
    if (range->address == address && range->size == size) return range;
  }
  return NULL;
}

static struct range* around(uint64_t address) {
  for (struct range* range = ranges; range != NULL; range = range->next) {
    if (range->mapped != NULL && address >= range->address && address < range->address + range->size) return range;
  }
  return NULL;
}

static uint64_t add(struct created created) {
  struct created* added = malloc(sizeof(created));
  if (added == NULL) abort();
  *added = created;
  added->handles = 1;
  gpu_lock();
  added->next = all_created;
  all_created = added;
  if (added->is_imported) gpu_counted(LIVE_OPENED, 1);
  gpu_unlock();
  return (uint64_t)added;
}

/* Frees the memory when neither a handle nor a mapping is left. */
static void settle(struct created* created) {
  if (created->handles > 0 || created->mappings > 0) return;
  for (struct created** at = &all_created; *at != NULL; at = &(*at)->next) {
    if (*at != created) continue;
    *at = created->next;
    break;
  }
  ipc_drop(created->bytes);
  if (created->is_imported) {
    gpu_counted(LIVE_OPENED, -1);
  } else {
    gpu_give_back(created->device, created->size);
  }
  free(created);
}

int vmm_create(gpu_device* device, size_t size, int types, uint64_t* handle) {
  if (size == 0 || size % VMM_GRANULARITY != 0) return GPU_INVALID_VALUE;
  int code = vmm_refused(types);
  if (code == GPU_OK) code = gpu_take(device, size);
  if (code != GPU_OK) return code;
  void* bytes = ipc_create(size);
  if (bytes == NULL) abort();
  *handle = add((struct created){.device = device, .bytes = bytes, .size = size, .types = types});
  return GPU_OK;
}

int vmm_release(uint64_t handle) {
  gpu_lock();
  struct created* created = of_handle(handle);
  if (created != NULL) {
    created->handles--;
    settle(created);
  }
  gpu_unlock();
  return created != NULL ? GPU_OK : GPU_INVALID_VALUE;
}

int vmm_retain(uint64_t address, uint64_t* handle) {
  gpu_lock();
  struct range* range = around(address);
  if (range != NULL) {
    range->mapped->handles++;
    *handle = (uint64_t)range->mapped;
  }
  gpu_unlock();
  return range != NULL ? GPU_OK : GPU_INVALID_VALUE;
}

int vmm_reserve(gpu_device* device, size_t size, uint64_t* address) {
  if (size == 0 || size % VMM_GRANULARITY != 0) return GPU_INVALID_VALUE;
  struct range* range = malloc(sizeof(struct range));
  if (range == NULL) return GPU_OUT_OF_MEMORY;
  *range = (struct range){.address = gpu_reserve(device, size), .size = size, .device = device};
  if (range->address == 0) { /* cuda.h lists it for cuMemAddressReserve */
    free(range);
    return GPU_OUT_OF_MEMORY;
  }
  *address = range->address;
  gpu_lock();
  range->next = ranges;
  ranges = range;
  gpu_counted(LIVE_RESERVED, 1);
  gpu_unlock();
  return GPU_OK;
}

int vmm_unreserve(uint64_t address, size_t size) {
  int code = GPU_INVALID_VALUE;
  gpu_lock();
  struct range* range = at(address, size);
  if (range != NULL && range->mapped == NULL) {
    struct range** link = &ranges;
    while (*link != range) link = &(*link)->next;
    *link = range->next;
    if (!range->was_mapped) gpu_unreserve(range->device, address, size);
    free(range);
    gpu_counted(LIVE_RESERVED, -1);
    code = GPU_OK;
  } else {
    gpu_violation("%zu bytes at 0x%llx were freed that are mapped, or were not reserved", size, (unsigned long long)address);
  }
  gpu_unlock();
  return code;
}

int vmm_map(uint64_t address, size_t size, uint64_t handle) {
  int code = GPU_INVALID_VALUE;
  gpu_lock();
  struct range* range = at(address, size);
  struct created* created = of_handle(handle);
  if (range != NULL && range->mapped == NULL && created != NULL && size <= created->size) {
    gpu_map(created->device, address, created->bytes, size);
    range->mapped = created;
    range->was_mapped = 1;
    created->mappings++;
    code = GPU_OK;
  }
  gpu_unlock();
  return code;
}

int vmm_unmap(uint64_t address, size_t size) {
  gpu_lock();
  struct range* range = at(address, size);
  struct created* created = range == NULL ? NULL : range->mapped;
  gpu_unlock();
  if (created == NULL) return GPU_INVALID_VALUE;
  gpu_device_synchronize(created->device); /* "This function exhibits synchronous behavior for most use cases", note_sync */
  gpu_lock();
  int code = gpu_unmap(address);
  range->mapped = NULL;
  created->mappings--;
  settle(created);
  gpu_unlock();
  return code;
}

int vmm_let(uint64_t address, size_t size, int ordinal) {
  gpu_lock();
  struct range* range = at(address, size);
  int code = range == NULL || range->mapped == NULL ? GPU_INVALID_VALUE : gpu_let(address, ordinal);
  gpu_unlock();
  return code;
}

int vmm_export(uint64_t handle, int type, ipc_handle* out) {
  int code = vmm_refused(type);
  if (code != GPU_OK || type != VMM_FABRIC) return code != GPU_OK ? code : GPU_NOT_SUPPORTED;
  gpu_lock();
  struct created* created = of_handle(handle);
  code = created != NULL && (created->types & type) ? GPU_OK : GPU_INVALID_VALUE;
  if (code == GPU_OK) ipc_describe(created->bytes, gpu_ordinal(created->device), out);
  gpu_unlock();
  return code;
}

int vmm_import(const ipc_handle* in, int type, uint64_t* handle) {
  int code = vmm_refused(type);
  if (code != GPU_OK || type != VMM_FABRIC) return code != GPU_OK ? code : GPU_NOT_SUPPORTED;
  struct created created = {.types = type, .is_imported = 1};
  int ordinal;
  code = ipc_import(in, &created.bytes, &created.size, &ordinal);
  if (code != GPU_OK) return code;
  created.device = gpu_at(ordinal);
  *handle = add(created);
  return GPU_OK;
}

int vmm_handle_types(uint64_t address) {
  gpu_lock();
  struct range* range = around(address);
  int types = range == NULL ? 0 : range->mapped->types;
  gpu_unlock();
  return types;
}
