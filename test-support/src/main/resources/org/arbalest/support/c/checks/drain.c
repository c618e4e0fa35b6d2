// SPDX-License-Identifier: Apache-2.0
/* A consumer of streams of either kind, with correct or incorrect behaviour. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"

/* One stream, used as a device stream; exactly one of the two is set. */
struct source {
  struct ArrowArrayStream* plain;
  struct ArrowDeviceArrayStream* device;
};

struct drain {
  struct source source;
  int32_t flags;
  int64_t stop_after;
  int64_t* result;
  char* error;
  int64_t error_len;
  struct ArrowSchema schema;
  int64_t schema_hash;
  uint64_t chain, sum;
  int unreadable, schema_failed;
  struct ArrowDeviceArray* kept;
  int64_t n_kept, taken;
  pthread_mutex_t turns; /* around the stream */
  pthread_mutex_t books; /* around everything above */
};

/* The struct that a producer receives: released, with garbage in all other fields. */
static void blank(void* out, size_t size) { memset(out, 0xA5, size); }

static int get_schema(struct drain* d, struct ArrowSchema* out) {
  blank(out, sizeof *out);
  out->release = NULL;
  d->result[PEER_SCHEMA_CALLS]++;
  return d->source.plain ? d->source.plain->get_schema(d->source.plain, out)
                         : d->source.device->get_schema(d->source.device, out);
}

static int get_next(struct drain* d, struct ArrowDeviceArray* out) {
  blank(out, sizeof *out);
  out->array.release = NULL;
  return d->source.plain ? d->source.plain->get_next(d->source.plain, &out->array)
                         : d->source.device->get_next(d->source.device, out);
}

static void note_error(struct drain* d, int code, int ask) {
  if (d->result[PEER_CODE] != 0) return;
  d->result[PEER_CODE] = code;
  if (!ask) return;
  const char* text = d->source.plain ? d->source.plain->get_last_error(d->source.plain)
                                     : d->source.device->get_last_error(d->source.device);
  if (text == NULL) return;
  d->result[PEER_HAD_TEXT] = 1;
  if (d->error != NULL && d->error_len > 0) snprintf(d->error, (size_t)d->error_len, "%s", text);
}

static int readable(const struct drain* d, const struct ArrowDeviceArray* chunk) {
  if (d->source.plain) return 1;
  switch (chunk->device_type) {
    case ARROW_DEVICE_CPU: case ARROW_DEVICE_CUDA_HOST: case ARROW_DEVICE_CUDA_MANAGED: case ARROW_DEVICE_ROCM_HOST:
      return 1;
    default:
      return 0;
  }
}

static void read_and_release(struct drain* d, struct ArrowDeviceArray* chunk) {
  if (!readable(d, chunk) || !checksum_rows(&chunk->array, &d->schema, &d->chain, &d->sum)) d->unreadable = 1;
  chunk->array.release(&chunk->array);
}

/* Takes over *chunk. */
static void take(struct drain* d, struct ArrowDeviceArray* chunk) {
  d->result[PEER_BATCHES]++;
  d->result[PEER_ROWS] += chunk->array.length;
  if (d->source.device) {
    d->result[PEER_TYPE_DIFFERS] += chunk->device_type != d->source.device->device_type;
    d->result[PEER_RESERVED_DIRTY] += (chunk->reserved[0] | chunk->reserved[1] | chunk->reserved[2]) != 0;
    d->result[PEER_CPU_ID_ODD] += chunk->device_type == ARROW_DEVICE_CPU && chunk->device_id != -1;
    d->result[PEER_EVENTS] += chunk->sync_event != NULL;
  }
  if (!(d->flags & PEER_DRAIN_KEEP)) {
    read_and_release(d, chunk);
    return;
  }
  if ((d->n_kept & (d->n_kept - 1)) == 0) { /* grow at every power of two */
    d->kept = realloc(d->kept, (size_t)(d->n_kept == 0 ? 1 : 2 * d->n_kept) * sizeof *d->kept);
    if (d->kept == NULL) abort();
  }
  d->kept[d->n_kept++] = *chunk; /* a move: *chunk is then unused */
}

static void compare_schema(struct drain* d) {
  struct ArrowSchema again;
  if (get_schema(d, &again) != 0) {
    d->result[PEER_SCHEMA_DIFFERS]++;
    return;
  }
  d->result[PEER_SCHEMA_DIFFERS] += again.release == NULL || peer_schema_checksum(&again) != d->schema_hash;
  if (again.release != NULL) again.release(&again);
}

/* One pull: 1 if there may be more. */
static int pull(struct drain* d) {
  int race = d->flags & PEER_DRAIN_RACE;
  struct ArrowDeviceArray chunk;
  pthread_mutex_lock(&d->books);
  int wanted = d->stop_after < 0 || d->taken < d->stop_after;
  if (wanted) d->taken++;
  pthread_mutex_unlock(&d->books);
  if (!wanted) return 0;
  if (!race) pthread_mutex_lock(&d->turns);
  int code = get_next(d, &chunk), more = code == 0 && chunk.array.release != NULL;
  pthread_mutex_lock(&d->books);
  if (code != 0) note_error(d, code, !race);
  else if (!more) d->result[PEER_ENDED] = 1;
  else take(d, &chunk);
  if (code == 0 && !race && d->flags & PEER_DRAIN_SCHEMA_OFTEN) compare_schema(d);
  pthread_mutex_unlock(&d->books);
  if (!race) pthread_mutex_unlock(&d->turns);
  return more;
}

static void* pull_all(void* drain) {
  while (pull(drain)) {
  }
  return NULL;
}

/* One pull after an error or the end: the same result is expected again. */
static void pull_extra(struct drain* d) {
  struct ArrowDeviceArray chunk;
  struct ArrowSchema schema;
  int code, empty;
  if (d->schema_failed) {
    code = get_schema(d, &schema);
    empty = code != 0 || schema.release == NULL;
    if (!empty) schema.release(&schema);
  } else {
    code = get_next(d, &chunk);
    empty = code != 0 || chunk.array.release == NULL;
    if (!empty) chunk.array.release(&chunk.array);
  }
  d->result[empty && code == d->result[PEER_CODE] ? PEER_EXTRA_SAME : PEER_EXTRA_OTHER]++;
}

static int32_t run(struct drain* d, int64_t extra) {
  int two = (d->flags & (PEER_DRAIN_RACE | PEER_DRAIN_TAKE_TURNS)) != 0;
  int64_t* result = d->result;
  memset(result, 0, PEER_RESULT_SLOTS * sizeof *result);
  if (d->error != NULL && d->error_len > 0) d->error[0] = 0;
  d->chain = CHECKSUM_START;
  pthread_mutex_init(&d->turns, NULL);
  pthread_mutex_init(&d->books, NULL);
  int code = get_schema(d, &d->schema);
  if (code != 0) {
    d->schema_failed = 1;
    d->schema.release = NULL;
    note_error(d, code, 1);
  } else {
    d->schema_hash = peer_schema_checksum(&d->schema);
    pthread_t other;
    if (two && pthread_create(&other, NULL, pull_all, d) != 0) abort();
    pull_all(d);
    if (two) pthread_join(other, NULL);
  }
  if (result[PEER_CODE] != 0 || result[PEER_ENDED])
    for (int64_t i = 0; i < extra; i++) pull_extra(d);
  if (!(d->flags & PEER_DRAIN_NO_RELEASE))
    peer_release(d->source.plain ? (void*)d->source.plain : (void*)d->source.device,
                 d->source.plain ? PEER_STREAM : PEER_DEVICE_STREAM);
  for (int64_t i = 0; i < d->n_kept; i++) read_and_release(d, &d->kept[i]);
  free(d->kept);
  if (d->schema.release != NULL) d->schema.release(&d->schema);
  pthread_mutex_destroy(&d->turns);
  pthread_mutex_destroy(&d->books);
  result[PEER_CHECKSUM] = two || d->unreadable ? 0 : (int64_t)d->chain;
  result[PEER_ROW_SUM] = d->unreadable ? 0 : (int64_t)d->sum;
  return (int32_t)result[PEER_CODE];
}

int32_t peer_drain_stream_with(struct ArrowArrayStream* stream, int32_t flags, int64_t stop_after, int64_t extra,
                               int64_t* result, char* error, int64_t error_len) {
  struct drain d = {.source = {stream, NULL}, .flags = flags, .stop_after = stop_after, .result = result,
                    .error = error, .error_len = error_len};
  return run(&d, extra);
}

int32_t peer_drain_device_stream_with(struct ArrowDeviceArrayStream* stream, int32_t flags, int64_t stop_after,
                                      int64_t extra, int64_t* result, char* error, int64_t error_len) {
  struct drain d = {.source = {NULL, stream}, .flags = flags, .stop_after = stop_after, .result = result,
                    .error = error, .error_len = error_len};
  return run(&d, extra);
}

static void report(const int64_t* result, int64_t* batches, int64_t* rows, int64_t* checksum) {
  if (batches != NULL) *batches = result[PEER_BATCHES];
  if (rows != NULL) *rows = result[PEER_ROWS];
  if (checksum != NULL) *checksum = result[PEER_CHECKSUM];
}

int32_t peer_drain_stream(struct ArrowArrayStream* stream, int64_t* batches, int64_t* rows, int64_t* checksum,
                          char* error, int64_t error_len) {
  int64_t result[PEER_RESULT_SLOTS];
  int32_t code = peer_drain_stream_with(stream, 0, -1, 0, result, error, error_len);
  report(result, batches, rows, checksum);
  return code;
}

int32_t peer_drain_device_stream(struct ArrowDeviceArrayStream* stream, int64_t* batches, int64_t* rows,
                                 int64_t* checksum, char* error, int64_t error_len) {
  int64_t result[PEER_RESULT_SLOTS];
  int32_t code = peer_drain_device_stream_with(stream, 0, -1, 0, result, error, error_len);
  report(result, batches, rows, checksum);
  return code;
}
