// SPDX-License-Identifier: Apache-2.0
/* The actions that a consumer may apply to a struct, and some that it may not. The owner of the struct is
   irrelevant. */
#include <stdlib.h>
#include <string.h>

#include "moves.h"

size_t size_of_kind(int32_t kind) {
  switch (kind) {
    case PEER_ARRAY: return sizeof(struct ArrowArray);
    case PEER_SCHEMA: return sizeof(struct ArrowSchema);
    case PEER_STREAM: return sizeof(struct ArrowArrayStream);
    case PEER_DEVICE_ARRAY: return sizeof(struct ArrowDeviceArray);
    case PEER_DEVICE_STREAM: return sizeof(struct ArrowDeviceArrayStream);
    default: abort();
  }
}

int32_t peer_release_array(struct ArrowArray* ptr) {
  if (ptr->release == NULL) return 0;
  ptr->release(ptr);
  return 1;
}

int32_t peer_release_schema(struct ArrowSchema* ptr) {
  if (ptr->release == NULL) return 0;
  ptr->release(ptr);
  return 1;
}

int32_t peer_release_stream(struct ArrowArrayStream* ptr) {
  if (ptr->release == NULL) return 0;
  ptr->release(ptr);
  return 1;
}

int32_t peer_release_device_array(struct ArrowDeviceArray* ptr) { return peer_release_array(&ptr->array); }

int32_t peer_release_device_stream(struct ArrowDeviceArrayStream* ptr) {
  if (ptr->release == NULL) return 0;
  ptr->release(ptr);
  return 1;
}

int32_t peer_release(void* ptr, int32_t kind) {
  switch (kind) {
    case PEER_ARRAY: return peer_release_array(ptr);
    case PEER_SCHEMA: return peer_release_schema(ptr);
    case PEER_STREAM: return peer_release_stream(ptr);
    case PEER_DEVICE_ARRAY: return peer_release_device_array(ptr);
    case PEER_DEVICE_STREAM: return peer_release_device_stream(ptr);
    default: abort();
  }
}

int is_released(const void* ptr, int32_t kind) {
  switch (kind) {
    case PEER_ARRAY: case PEER_DEVICE_ARRAY: return ((const struct ArrowArray*)ptr)->release == NULL;
    case PEER_SCHEMA: return ((const struct ArrowSchema*)ptr)->release == NULL;
    case PEER_STREAM: return ((const struct ArrowArrayStream*)ptr)->release == NULL;
    case PEER_DEVICE_STREAM: return ((const struct ArrowDeviceArrayStream*)ptr)->release == NULL;
    default: abort();
  }
}

void peer_move(void* from, void* to, int32_t kind) {
  if (from == to) return;
  memcpy(to, from, size_of_kind(kind));
  switch (kind) {
    case PEER_ARRAY: case PEER_DEVICE_ARRAY: ((struct ArrowArray*)from)->release = NULL; break;
    case PEER_SCHEMA: ((struct ArrowSchema*)from)->release = NULL; break;
    case PEER_STREAM: ((struct ArrowArrayStream*)from)->release = NULL; break;
    default: ((struct ArrowDeviceArrayStream*)from)->release = NULL; break;
  }
}

void peer_copy(const void* from, void* to, int32_t kind) { memcpy(to, from, size_of_kind(kind)); }

#define TWICE(type)                                \
  {                                                \
    struct type* self = ptr;                       \
    void (*release)(struct type*) = self->release; \
    release(self);                                 \
    released = self->release == NULL;              \
    release(self);                                 \
    break;                                         \
  }

int32_t peer_release_twice(void* ptr, int32_t kind) {
  int32_t released = 0;
  if (is_released(ptr, kind)) return 0;
  switch (kind) {
    case PEER_ARRAY: case PEER_DEVICE_ARRAY: TWICE(ArrowArray)
    case PEER_SCHEMA: TWICE(ArrowSchema)
    case PEER_STREAM: TWICE(ArrowArrayStream)
    default: TWICE(ArrowDeviceArrayStream)
  }
  return released;
}

int32_t peer_release_moved(void* ptr, int32_t kind) {
  void* elsewhere = malloc(size_of_kind(kind));
  if (elsewhere == NULL) abort();
  peer_move(ptr, elsewhere, kind);
  int32_t released = peer_release(elsewhere, kind) && is_released(elsewhere, kind);
  free(elsewhere);
  return released;
}

void peer_move_array(struct ArrowArray* from, struct ArrowArray* to) { peer_move(from, to, PEER_ARRAY); }
void peer_copy_array(const struct ArrowArray* from, struct ArrowArray* to) { peer_copy(from, to, PEER_ARRAY); }
void peer_move_schema(struct ArrowSchema* from, struct ArrowSchema* to) { peer_move(from, to, PEER_SCHEMA); }

void peer_move_child(struct ArrowArray* parent, int64_t i, struct ArrowArray* to) {
  peer_move(parent->children[i], to, PEER_ARRAY);
}

void peer_move_dictionary(struct ArrowArray* parent, struct ArrowArray* to) {
  peer_move(parent->dictionary, to, PEER_ARRAY);
}

void peer_move_schema_child(struct ArrowSchema* parent, int64_t i, struct ArrowSchema* to) {
  peer_move(parent->children[i], to, PEER_SCHEMA);
}

void peer_move_schema_dictionary(struct ArrowSchema* parent, struct ArrowSchema* to) {
  peer_move(parent->dictionary, to, PEER_SCHEMA);
}
