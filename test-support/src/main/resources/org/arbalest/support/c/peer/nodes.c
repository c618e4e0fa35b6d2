// SPDX-License-Identifier: Apache-2.0
/* Schemas and arrays with given contents. A release frees all allocations, regardless of the struct's fields. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracker.h"
#include "peer.h"

static void* copy_of(const void* bytes, size_t size) {
  void* copy = tracker_alloc(size);
  if (size > 0) memcpy(copy, bytes, size);
  return copy;
}

static char* text_of(const char* text) { return text == NULL ? NULL : copy_of(text, strlen(text) + 1); }

/* ---- schemas ---- */

struct schema_record {
  struct record head;
  char *format, *name, *metadata;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
};

static void drop_schema(struct ArrowSchema* part) {
  if (part != NULL && part->release != NULL) part->release(part);
  slot_free(part);
}

static void release_schema(struct ArrowSchema* self) {
  struct schema_record* own = self->private_data;
  slot_check(self, "a schema");
  if (tracker_close(&own->head)) {
    slots_enter();
    for (int64_t i = 0; i < own->n_children; i++) drop_schema(own->children[i]);
    drop_schema(own->dictionary);
    slots_leave();
    tracker_free(own->children);
    tracker_free(own->format);
    tracker_free(own->name);
    tracker_free(own->metadata);
  }
  self->release = NULL;
}

void peer_schema_init(struct ArrowSchema* out, const char* format, const char* name, const void* metadata,
                      int64_t metadata_len, int64_t flags, int64_t n_children) {
  struct schema_record* own = tracker_open(sizeof *own, PEER_SCHEMA);
  own->format = text_of(format);
  own->name = text_of(name);
  own->metadata = metadata == NULL ? NULL : copy_of(metadata, (size_t)metadata_len);
  own->n_children = n_children > 0 ? n_children : 0;
  if (n_children > 0) {
    own->children = tracker_alloc((size_t)n_children * sizeof *own->children);
    for (int64_t i = 0; i < n_children; i++) own->children[i] = slot_new();
  }
  memset(out, 0, sizeof *out);
  out->format = own->format;
  out->name = own->name;
  out->metadata = own->metadata;
  out->flags = flags;
  out->n_children = n_children;
  out->children = own->children;
  out->private_data = own;
  out->release = release_schema;
}

void peer_schema_set_dictionary(struct ArrowSchema* out) {
  struct schema_record* own = out->private_data;
  if (own->dictionary == NULL) own->dictionary = slot_new();
  out->dictionary = own->dictionary;
}

void peer_schema_null_children(struct ArrowSchema* out) { out->children = NULL; }

/* ---- arrays ---- */

struct block {
  void* base;
  size_t mapped; /* bytes of a mapping; 0 if base came from the tracker */
};

struct array_record {
  struct record head;
  int64_t n_buffers, n_children;
  const void** buffers;
  struct block* blocks;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
};

static void drop_block(struct block* block) {
  if (block->mapped > 0) {
    munmap(block->base, block->mapped);
    tracker_count(-1);
  } else {
    tracker_free(block->base);
  }
  memset(block, 0, sizeof *block);
}

static void drop_array(struct ArrowArray* part) {
  if (part != NULL && part->release != NULL) part->release(part);
  slot_free(part);
}

static void release_array(struct ArrowArray* self) {
  struct array_record* own = self->private_data;
  slot_check(self, "an array");
  if (tracker_close(&own->head)) {
    slots_enter();
    for (int64_t i = 0; i < own->n_children; i++) drop_array(own->children[i]);
    drop_array(own->dictionary);
    slots_leave();
    for (int64_t i = 0; i < own->n_buffers; i++) drop_block(&own->blocks[i]);
    tracker_free(own->blocks);
    tracker_free(own->buffers);
    tracker_free(own->children);
  }
  self->release = NULL;
}

void peer_array_init(struct ArrowArray* out, int64_t length, int64_t null_count, int64_t offset,
                     int64_t n_buffers, int64_t n_children) {
  struct array_record* own = tracker_open(sizeof *own, PEER_ARRAY);
  own->n_buffers = n_buffers > 0 ? n_buffers : 0;
  own->n_children = n_children > 0 ? n_children : 0;
  if (n_buffers > 0) {
    own->buffers = tracker_alloc((size_t)n_buffers * sizeof *own->buffers);
    own->blocks = tracker_alloc((size_t)n_buffers * sizeof *own->blocks);
  }
  if (n_children > 0) {
    own->children = tracker_alloc((size_t)n_children * sizeof *own->children);
    for (int64_t i = 0; i < n_children; i++) own->children[i] = slot_new();
  }
  memset(out, 0, sizeof *out);
  out->length = length;
  out->null_count = null_count;
  out->offset = offset;
  out->n_buffers = n_buffers;
  out->n_children = n_children;
  out->buffers = own->buffers;
  out->children = own->children;
  out->private_data = own;
  out->release = release_array;
}

static int32_t place(struct ArrowArray* out, int64_t i, struct block block, const void* address) {
  struct array_record* own = out->private_data;
  if (i < 0 || i >= own->n_buffers) {
    drop_block(&block);
    return EINVAL;
  }
  drop_block(&own->blocks[i]);
  own->blocks[i] = block;
  own->buffers[i] = address;
  return 0;
}

int32_t peer_array_set_buffer(struct ArrowArray* out, int64_t i, const void* bytes, int64_t len) {
  struct block block = {bytes == NULL ? NULL : copy_of(bytes, (size_t)len), 0};
  return place(out, i, block, block.base);
}

int32_t peer_array_set_buffer_unaligned(struct ArrowArray* out, int64_t i, const void* bytes, int64_t len) {
  if (bytes == NULL) return peer_array_set_buffer(out, i, NULL, 0);
  struct block block = {tracker_alloc((size_t)len + 1), 0};
  char* odd = (char*)block.base + 1; /* malloc's own alignment is even */
  memcpy(odd, bytes, (size_t)len);
  return place(out, i, block, odd);
}

int32_t peer_array_set_buffer_guarded(struct ArrowArray* out, int64_t i, const void* bytes, int64_t len) {
  if (bytes == NULL) return peer_array_set_buffer(out, i, NULL, 0);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t usable = ((size_t)len + page - 1) / page * page;
  char* base = mmap(NULL, usable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base + usable, page, PROT_NONE) != 0) abort();
  tracker_count(1);
  struct block block = {base, usable + page};
  char* start = base + usable - len;
  memcpy(start, bytes, (size_t)len);
  return place(out, i, block, start);
}

int32_t peer_array_set_buffer_foreign(struct ArrowArray* out, int64_t i, const void* address) {
  return place(out, i, (struct block){NULL, 0}, address);
}

void peer_array_set_dictionary(struct ArrowArray* out) {
  struct array_record* own = out->private_data;
  if (own->dictionary == NULL) own->dictionary = slot_new();
  out->dictionary = own->dictionary;
}

void peer_array_null_children(struct ArrowArray* out) { out->children = NULL; }
void peer_array_null_buffers(struct ArrowArray* out) { out->buffers = NULL; }

void peer_device_array_wrap(struct ArrowDeviceArray* out, struct ArrowArray* moved, int64_t device_id,
                            int32_t device_type, void* sync_event, int32_t dirty_reserved) {
  struct ArrowArray array = *moved; /* `moved` may be inside `out` */
  moved->release = NULL;
  memset(out, 0, sizeof *out);
  out->array = array;
  out->device_id = device_id;
  out->device_type = device_type;
  out->sync_event = sync_event;
  if (dirty_reserved) memset(out->reserved, 0xA5, sizeof out->reserved);
}
