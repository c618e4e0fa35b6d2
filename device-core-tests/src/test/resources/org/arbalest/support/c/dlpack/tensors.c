// SPDX-License-Identifier: Apache-2.0
/*
 * A producer and a consumer of DLPack tensors. Each struct and list that the producer returns ends at the end of
 * readable memory. After the call of its deleter, any access to it ends the process.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dlpack.h"

/* ---- layout ---- */

#define F(type, field) {#type "." #field, offsetof(type, field)}
#define S(type) {#type, sizeof(type)}

static const struct { const char* what; size_t bytes; } lines[] = {
  F(DLTensor, data), F(DLTensor, device.device_type), F(DLTensor, device.device_id), F(DLTensor, ndim), F(DLTensor, dtype.code),
  F(DLTensor, dtype.bits), F(DLTensor, dtype.lanes), F(DLTensor, shape), F(DLTensor, strides), F(DLTensor, byte_offset), S(DLTensor),
  F(DLManagedTensor, dl_tensor), F(DLManagedTensor, manager_ctx), F(DLManagedTensor, deleter), S(DLManagedTensor),
  F(DLManagedTensorVersioned, version.major), F(DLManagedTensorVersioned, version.minor), F(DLManagedTensorVersioned, manager_ctx),
  F(DLManagedTensorVersioned, deleter), F(DLManagedTensorVersioned, flags), F(DLManagedTensorVersioned, dl_tensor), S(DLManagedTensorVersioned),
};

static char text[2048];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void write_text(void) {
  size_t at = 0;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s %zu\n", lines[i].what, lines[i].bytes);
}

const char* tensor_layout(void) {
  pthread_once(&once, write_text);
  return text;
}

/* ---- producer ---- */

static atomic_long made, deleted, deleted_twice;

long tensor_live(void) { return made - deleted; }
long tensor_deleted_twice(void) { return deleted_twice; }

/* Returns bytes that end at the end of a readable page. The next page is not readable. */
static void* guarded(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || bytes > page || mprotect(pages + page, page, PROT_NONE) != 0) abort();
  return pages + page - bytes;
}

static void seal(void* ended, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (ended != NULL && mprotect((char*)ended + bytes - page, page, PROT_NONE) != 0) abort(); /* never unmapped, so that no later mapping uses these addresses */
}

struct made {
  DLTensor tensor;
  void* managed;
  size_t size;
  atomic_int is_deleted;
};

static void delete_made(struct made* it) {
  if (atomic_exchange(&it->is_deleted, 1)) {
    deleted_twice++;
    return;
  }
  size_t lists = it->tensor.ndim > 0 && it->tensor.ndim <= 64 ? 8 * (size_t)it->tensor.ndim : 0;
  seal(it->tensor.shape, lists);
  seal(it->tensor.strides, lists);
  seal(it->managed, it->size);
  deleted++; /* the record stays, to detect a second call */
}

static void delete_versioned(DLManagedTensorVersioned* managed) { delete_made(managed->manager_ctx); }
static void delete_unversioned(DLManagedTensor* managed) { delete_made(managed->manager_ctx); }

/*
 * Creates a tensor as the caller describes it, valid or not. Copies each list, with one number for each of up to 64
 * dimensions; NULL stays NULL. A tensor without a deleter has no owner, and is not counted.
 */
void* tensor_make(int32_t versioned, uint32_t major, uint64_t flags, int32_t has_deleter, const DLTensor* what) {
  struct made* it = calloc(1, sizeof *it);
  it->tensor = *what;
  size_t lists = what->ndim > 0 && what->ndim <= 64 ? 8 * (size_t)what->ndim : 0;
  if (what->shape != NULL) it->tensor.shape = memcpy(guarded(lists), what->shape, lists);
  if (what->strides != NULL) it->tensor.strides = memcpy(guarded(lists), what->strides, lists);
  if (has_deleter) made++;
  if (versioned) {
    DLManagedTensorVersioned value = {{major, 7}, it, has_deleter ? delete_versioned : NULL, flags, it->tensor};
    it->size = sizeof value;
    /* An unknown major version has no known fields from flags on. */
    if (major != 1) it->size = offsetof(DLManagedTensorVersioned, flags);
    it->managed = memcpy(guarded(it->size), &value, it->size);
  } else {
    DLManagedTensor value = {it->tensor, it, has_deleter ? delete_unversioned : NULL};
    it->size = sizeof value;
    it->managed = memcpy(guarded(it->size), &value, it->size);
  }
  return it->managed;
}

/* ---- consumer ---- */

static const DLTensor* tensor_of(void* managed, int32_t versioned) {
  return versioned ? &((DLManagedTensorVersioned*)managed)->dl_tensor : &((DLManagedTensor*)managed)->dl_tensor;
}

static char* read_dimension(const DLTensor* tensor, int32_t dimension, const char* from, char* to) {
  size_t width = tensor->dtype.bits / 8;
  if (dimension == tensor->ndim) return (char*)memcpy(to, from, width) + width;
  for (int64_t i = 0; i < tensor->shape[dimension]; i++)
    to = read_dimension(tensor, dimension + 1, from + i * tensor->strides[dimension] * (int64_t)width, to);
  return to;
}

/* Copies the elements, in order, from memory that the CPU can read. Returns the number of bytes. */
int64_t tensor_read(void* managed, int32_t versioned, char* to) {
  const DLTensor* tensor = tensor_of(managed, versioned);
  return read_dimension(tensor, 0, (const char*)tensor->data + tensor->byte_offset, to) - to;
}

static void delete_now(void* managed, int32_t versioned) {
  if (versioned)
    ((DLManagedTensorVersioned*)managed)->deleter(managed);
  else
    ((DLManagedTensor*)managed)->deleter(managed);
}

void tensor_delete(void* managed, int32_t versioned) { delete_now(managed, versioned); }

struct errand {
  void** managed;
  int64_t count, step;
  int32_t versioned;
};

static void* run(void* argument) {
  struct errand* errand = argument;
  for (int64_t i = 0; i < errand->count; i += errand->step) delete_now(errand->managed[i], errand->versioned);
  return NULL;
}

/* Deletes the tensors on new threads, which share the work. Returns when all threads have ended. */
void tensor_delete_on_threads(void** managed, int64_t count, int32_t versioned, int32_t threads) {
  pthread_t started[8];
  struct errand errands[8];
  for (int32_t i = 0; i < threads; i++) {
    errands[i] = (struct errand){managed + i, count - i, threads, versioned};
    if (pthread_create(&started[i], NULL, run, &errands[i]) != 0) abort();
  }
  for (int32_t i = 0; i < threads; i++) pthread_join(started[i], NULL);
}

static void* last;
static int32_t last_versioned;

static void delete_last(void) {
  tensor_delete_on_threads(&last, 1, last_versioned, 1);
  static const char words[] = "deleted at the end\n";
  if (write(1, words, sizeof words - 1) < 0) abort();
}

/* Deletes the tensor in an atexit handler, on a thread that the handler starts. */
void tensor_delete_at_exit(void* managed, int32_t versioned) {
  last = managed;
  last_versioned = versioned;
  atexit(delete_last);
}
