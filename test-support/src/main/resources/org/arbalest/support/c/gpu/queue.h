/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams, their queued work, and events. queue.c owns them, and uses gpu.c.
 *
 * Included by: queue.c ipc.h cuda_api.h hip_api.h
 */
#ifndef ARBALEST_GPU_QUEUE_H
#define ARBALEST_GPU_QUEUE_H

#include "gpu.h"

#pragma GCC visibility push(hidden)

typedef struct gpu_stream gpu_stream;
typedef struct gpu_event gpu_event;
typedef void gpu_kernel(void** arguments);

int gpu_stream_create(gpu_device* device, gpu_stream** stream, int non_blocking); /* NON_BLOCKING: the default stream does not wait for it */
int gpu_stream_destroy(gpu_stream* stream);
int gpu_stream_query(gpu_stream* stream);
int gpu_stream_synchronize(gpu_stream* stream);
void gpu_stream_lock(gpu_stream* stream); /* for a runtime in which a wait for a stream locks it */
void gpu_stream_unlock(gpu_stream* stream);
void gpu_stream_pass(gpu_stream* stream); /* waits while it is locked */
gpu_stream* gpu_default_stream(gpu_device* device); /* created at the first call; never destroyed */
gpu_stream* gpu_context_stream(gpu_device* device, const void* context); /* the default stream of another context, a new one; never destroyed */
gpu_stream* gpu_thread_stream(gpu_device* device); /* that of the calling OS thread, which destroys it when it ends */
int gpu_stream_is_captured(gpu_stream* stream, int* is);
void gpu_stream_own(gpu_stream* stream, const void* context); /* NULL, as by default: the primary context */
const void* gpu_stream_context(gpu_stream* stream);
gpu_device* gpu_stream_device(gpu_stream* stream); /* NULL if it is not a stream */
void gpu_device_synchronize(gpu_device* device);
void gpu_wait_as_free(gpu_device* device); /* waits like gpu_free, and blocks others */
void gpu_wait_as_allocation(gpu_device* device); /* if a test makes allocations wait */
int gpu_free(gpu_device* device, uint64_t address, enum gpu_kind kind); /* waits until all queued work of the device is done; see gpu_free_begins */

void gpu_limit_streams(void); /* for a runtime with a limited space in streams */
int gpu_pass_full(gpu_device* device); /* waits while a call waits for space in a stream; returns the status */

int gpu_copy(gpu_stream* stream, uint64_t to, uint64_t from, size_t size, int pinned_waits); /* whether the caller waits between pinned memory */
int gpu_launch_host(gpu_stream* stream, gpu_function* function, void* data);
int gpu_launch_kernel(gpu_stream* stream, const char* name, void** parameters);
int gpu_wait_value(gpu_stream* stream, uint64_t address, uint32_t value);
int gpu_free_async(gpu_stream* stream, enum gpu_kind kind, uint64_t address);
int gpu_reuse(gpu_stream* stream, size_t size, const unsigned* pool_let, uint64_t* address); /* false if there is no such block */
int gpu_wait_for_frees(gpu_stream* stream); /* makes it wait for another stream of its device with a free to come */
int gpu_fault(gpu_stream* stream); /* accesses an invalid address */
int gpu_prefetch(gpu_stream* stream, uint64_t address, size_t size); /* moves nothing, which is not observable */
int gpu_has_kernel(const char* name);

int gpu_event_create(gpu_device* device, gpu_event** event);
void gpu_event_own(gpu_event* event, const void* context);
int gpu_event_destroy(gpu_event* event);
int gpu_event_record(gpu_event* event, gpu_stream* stream);
int gpu_event_wait(gpu_stream* stream, gpu_event* event);
void gpu_tell_captures_once(void); /* for a runtime that reports once that an event was recorded in a graph */
int gpu_event_query(gpu_event* event);
int gpu_event_synchronize(gpu_event* event);

/* For ipc.c: an event's words, in memory that it shares with other processes, and frees. */
enum { EVENT_RECORDED, EVENT_COMPLETED, EVENT_GONE, EVENT_WORDS };
void gpu_event_move(gpu_event* event, int64_t* words, gpu_give* give);
int64_t* gpu_event_words(gpu_event* event); /* NULL if they are its own */

void gpu_event_lock(gpu_event* event); /* for a runtime in which an event is used by one caller at a time */
void gpu_event_unlock(gpu_event* event);

#pragma GCC visibility pop

#endif
