// SPDX-License-Identifier: Apache-2.0
/* Streams with known values, and with the requested faults. They check how they are called. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tracker.h"
#include "peer.h"

/* ---- a batch ---- */

static void set(struct ArrowArray* array, int64_t i, const void* bytes, size_t len, int32_t flavour) {
  if (flavour & PEER_UNALIGNED)
    peer_array_set_buffer_unaligned(array, i, bytes, (int64_t)len);
  else
    peer_array_set_buffer(array, i, bytes, (int64_t)len);
}

static void fill_ids(struct ArrowArray* out, int64_t first, int64_t rows, int64_t above, int32_t flavour) {
  int64_t skip = flavour & PEER_SLICED ? 1 : 0;
  int64_t n = skip + above + rows;
  int64_t* ids = tracker_alloc((size_t)(n + 1) * sizeof *ids);
  for (int64_t i = 0; i < n; i++) ids[i] = i < skip + above ? -1 : first + i - skip - above;
  peer_array_init(out, above + rows, 0, skip, 2, 0);
  set(out, 1, ids, (size_t)n * sizeof *ids, flavour);
  tracker_free(ids);
}

static void fill_names(struct ArrowArray* out, int64_t first, int64_t rows, int64_t above, int32_t flavour) {
  int64_t skip = flavour & PEER_SLICED ? 3 : 0;
  int64_t n = skip + above + rows;
  int32_t* offsets = tracker_alloc((size_t)(n + 1) * sizeof *offsets);
  uint8_t* valid = tracker_alloc((size_t)(n + 7) / 8 + 1);
  char* text = tracker_alloc((size_t)n * 24 + 24);
  int64_t nulls = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t id = first + i - skip - above;
    int32_t at = offsets[i];
    int null = i >= skip + above && id % 7 == 6;
    if (null)
      nulls++;
    else {
      valid[i / 8] |= (uint8_t)(1 << i % 8);
      at += i < skip + above ? sprintf(text + at, "cut") : sprintf(text + at, "row-%lld", (long long)id);
    }
    offsets[i + 1] = at;
  }
  int32_t size = offsets[n];
  if (flavour & PEER_BAD_OFFSETS) offsets[n] += 1000;
  peer_array_init(out, above + rows, nulls, skip, 3, 0);
  set(out, 0, valid, (size_t)(n + 7) / 8, flavour);
  set(out, 1, offsets, (size_t)(n + 1) * sizeof *offsets, flavour);
  set(out, 2, text, (size_t)size, flavour);
  if (flavour & PEER_BAD_BUFFERS) out->n_buffers = 2;
  tracker_free(offsets);
  tracker_free(valid);
  tracker_free(text);
}

void peer_batch(struct ArrowArray* out, int64_t first_id, int64_t rows, int32_t flavour) {
  int64_t above = flavour & PEER_SLICED ? 2 : 0; /* the struct's offset, in its children's elements */
  peer_array_init(out, rows, 0, above, 1, 2);
  fill_ids(out->children[0], first_id, rows, above, flavour);
  fill_names(out->children[1], first_id, rows, above, flavour);
  if (flavour & PEER_BAD_CHILDREN) out->n_children = 1;
}

void peer_batch_schema(struct ArrowSchema* out) {
  peer_schema_init(out, "+s", "", NULL, 0, 0, 2);
  peer_schema_init(out->children[0], "l", "id", NULL, 0, 0, 0);
  peer_schema_init(out->children[1], "u", "name", NULL, 0, ARROW_FLAG_NULLABLE, 0);
}

/* ---- the common part of both kinds of stream ---- */

struct stream_record {
  struct record head;
  atomic_int busy;
  int64_t batches, rows, at, next, schemas, device_id;
  int32_t flavour, code, device_type;
  int failed; /* the last call */
  int has_failed; /* some get_next */
  char text[160];
};

/* 0, or the code to return instead: the call broke a rule. */
static int enter(struct stream_record* own, int call, int released) {
  static const char* const names[] = {"get_schema", "get_next", "get_last_error", "release"};
  tracker_stream_call(call);
  if (released || atomic_load(&own->head.released)) {
    tracker_violation("%s was called on a released stream", names[call]);
    return EINVAL;
  }
  if (atomic_exchange(&own->busy, 1)) {
    tracker_violation("%s was called while another call on the stream was running", names[call]);
    return EBUSY;
  }
  if (call < 2) {
    if (own->failed && own->flavour & PEER_TEXT_VOLATILE) memset(own->text, '#', strlen(own->text));
    own->failed = 0;
  }
  return 0;
}

static int leave(struct stream_record* own, int code) {
  atomic_store(&own->busy, 0);
  return code;
}

static int fail(struct stream_record* own, const char* what, int64_t index, void* out, size_t size) {
  own->failed = 1;
  snprintf(own->text, sizeof own->text, "peer: %s %lld failed \xE2\x80\x94 code %d", what, (long long)index,
           own->code);
  if (own->flavour & PEER_FAIL_GARBAGE) memset(out, 0xA5, size);
  return own->code;
}

static int make_schema(struct stream_record* own, struct ArrowSchema* out) {
  int64_t index = own->schemas++;
  if (own->flavour & PEER_FAIL_SCHEMA || (own->flavour & PEER_SCHEMA_ONCE && index == 1))
    return fail(own, "schema", index, out, sizeof *out);
  peer_batch_schema(out);
  return 0;
}

/* Writes *index = -1 at the end. A failure may overwrite `out`, of the given size, with the array first. */
static int make_next(struct stream_record* own, void* out, size_t size, int64_t* index) {
  const int32_t at_once = PEER_BAD_CHILDREN | PEER_BAD_BUFFERS | PEER_BAD_OFFSETS;
  int64_t i = own->next;
  int here = i == own->at;
  if (here && own->flavour & PEER_GATE) gate_wait();
  if (own->flavour & PEER_FAIL) {
    int once = own->flavour & PEER_FAIL_ONCE;
    if ((here && !own->has_failed) || (own->has_failed && !once)) {
      own->has_failed = 1;
      return fail(own, "batch", own->at, out, size);
    }
  }
  *index = -1;
  if (i >= own->batches) {
    memset(out, own->flavour & PEER_END_GARBAGE ? 0xA5 : 0, size);
    ((struct ArrowArray*)out)->release = NULL;
    return 0;
  }
  peer_batch(out, i * own->rows, own->rows, here ? own->flavour : own->flavour & ~at_once);
  *index = own->next++;
  return 0;
}

static const char* last_error(struct stream_record* own, int released) {
  const char* text = NULL;
  if (enter(own, 2, released)) return NULL;
  if (!own->failed)
    tracker_violation("get_last_error was called, but the last call had not failed");
  else if (!(own->flavour & PEER_TEXT_NULL))
    text = own->text;
  leave(own, 0);
  return text;
}

static void end(struct stream_record* own) {
  tracker_stream_call(3);
  if (atomic_load(&own->busy)) tracker_violation("release was called while another call on the stream was running");
  tracker_close(&own->head);
}

static struct stream_record* start(int kind, int64_t batches, int64_t rows, int32_t flavour, int64_t at,
                                   int32_t code) {
  struct stream_record* own = tracker_open(sizeof *own, kind);
  own->batches = batches;
  own->rows = rows;
  own->flavour = flavour;
  own->at = at;
  own->code = code;
  return own;
}

/* ---- ArrowArrayStream ---- */

static int plain_schema(struct ArrowArrayStream* self, struct ArrowSchema* out) {
  struct stream_record* own = self->private_data;
  int code = enter(own, 0, self->release == NULL);
  return code ? code : leave(own, make_schema(own, out));
}

static int plain_next(struct ArrowArrayStream* self, struct ArrowArray* out) {
  struct stream_record* own = self->private_data;
  int64_t index;
  int code = enter(own, 1, self->release == NULL);
  return code ? code : leave(own, make_next(own, out, sizeof *out, &index));
}

static const char* plain_error(struct ArrowArrayStream* self) {
  return last_error(self->private_data, self->release == NULL);
}

static void plain_release(struct ArrowArrayStream* self) {
  end(self->private_data);
  self->release = NULL; /* private_data stays: it identifies later calls */
}

void peer_stream(struct ArrowArrayStream* out, int64_t batches, int64_t rows, int32_t flavour, int64_t at,
                 int32_t code) {
  out->get_schema = plain_schema;
  out->get_next = plain_next;
  out->get_last_error = plain_error;
  out->private_data = start(PEER_STREAM, batches, rows, flavour, at, code);
  out->release = plain_release;
}

/* ---- ArrowDeviceArrayStream ---- */

static int device_schema(struct ArrowDeviceArrayStream* self, struct ArrowSchema* out) {
  struct stream_record* own = self->private_data;
  int code = enter(own, 0, self->release == NULL);
  return code ? code : leave(own, make_schema(own, out));
}

static int device_next(struct ArrowDeviceArrayStream* self, struct ArrowDeviceArray* out) {
  struct stream_record* own = self->private_data;
  int64_t index;
  int code = enter(own, 1, self->release == NULL);
  if (code) return code;
  code = make_next(own, out, sizeof *out, &index);
  if (code == 0 && index >= 0) {
    int other = own->flavour & PEER_OTHER_DEVICE && index == own->at;
    peer_device_array_wrap(out, &out->array, own->device_id, own->device_type + (other ? 1 : 0), NULL,
                           own->flavour & PEER_DIRTY_RESERVED);
  }
  return leave(own, code);
}

static const char* device_error(struct ArrowDeviceArrayStream* self) {
  return last_error(self->private_data, self->release == NULL);
}

static void device_release(struct ArrowDeviceArrayStream* self) {
  end(self->private_data);
  self->release = NULL;
}

void peer_device_stream(struct ArrowDeviceArrayStream* out, int64_t batches, int64_t rows, int32_t flavour,
                        int64_t at, int32_t code, int64_t device_id, int32_t device_type) {
  struct stream_record* own = start(PEER_DEVICE_STREAM, batches, rows, flavour, at, code);
  own->device_id = device_id;
  own->device_type = device_type;
  memset(out, 0, sizeof *out);
  out->device_type = device_type;
  out->get_schema = device_schema;
  out->get_next = device_next;
  out->get_last_error = device_error;
  out->private_data = own;
  out->release = device_release;
}
