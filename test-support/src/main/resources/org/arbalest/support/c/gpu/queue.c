// SPDX-License-Identifier: Apache-2.0
/* Streams and events: a first-in-first-out worker for each stream. */
#include "queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exit.h"
#include "trouble.h"

#define STREAM 0x5354524dU
#define EVENT 0x45564e54U
#define MOST_KERNELS 8
#define MOST_PARAMETERS 8
#define READ_AT_ONCE 65536

enum kind { COPY, RECORD, WAIT, HOST, KERNEL, WAIT_VALUE, FREE, POISON, HOLD, PREFETCH, FAULT };

struct command {
  enum kind kind;
  uint64_t to;
  uint64_t from;
  size_t size;
  gpu_event* event;
  int64_t generation;
  gpu_function* function;
  void* data;
  gpu_kernel* kernel;
  uint64_t parameters[MOST_PARAMETERS];
  struct trouble trouble;
  void* snapshot; /* a copy's source when it was queued; NULL if it is read later */
  int64_t number;
  int passed; /* it has left its connection */
  int room;   /* the space that it takes of its stream's */
  struct command* next;
};

enum stream_kind { BLOCKING, NON_BLOCKING, LEGACY };

struct gpu_stream {
  unsigned magic;
  gpu_device* device;
  struct command* head;
  struct command* tail;
  int destroyed;
  int index; /* among the streams of its device */
  int room;  /* the space that its queued work takes of its connection's */
  int locked;
  int kind;
  const void* context; /* NULL: the primary one */
  int captured; /* queued work goes into a graph, and is not done */
  int implied;  /* a stream that it implicitly waits for is captured */
  gpu_stream* next;
};

/*
 * Streams share a device's hardware connections: CUDA_DEVICE_MAX_CONNECTIONS, 1 to 32, 8 by default; GPU_MAX_HW_QUEUES,
 * 4 by default, for HIP. Work passes through a connection in the order in which it was queued, from any stream: "when
 * there are more streams than connections, some will share, and there may be false dependencies" (CUDA programming
 * guide, environment variables; ROCm/rocm-systems pull request 8916 for HIP). Some work cannot begin: a wait for an
 * event or a word, or work behind unfinished work of its stream. It blocks all work that was queued in its connection
 * later. 0: each stream has its own.
 */
static int connections;
static int created[GPU_MOST_DEVICES];

/*
 * A connection holds a limited amount. Seen on an H100 with driver 580.159.04 and 8 connections: behind a wait for a
 * word, one stream took 1,020 copies, or memsets, and 112 calls where host functions and copies alternated; 2 streams
 * took 224 of these, 8 took 896, and 64 no more than 8. Of host functions, records and waits alone it took 3,000 and
 * more. A call that finds no space waits. During this wait, on any thread and for any stream, other calls also wait:
 * creation or destruction of an event or a stream, queueing of a host function, allocation outside a stream's order.
 * Calls that copy in another connection's stream, record, query, or allocate in a stream's order do not wait.
 */
#define CONNECTIONS 8
#define ROOM 1020
#define ROOM_OF_HOST_BEHIND_OTHER 17 /* 1020 / (17 + 1): 56 times both */
static int has_limits;
static int waiting_for_room;

static gpu_stream* streams;
static int64_t last_number;
static int64_t copies_done;
static int host_functions_held;

/* Host functions "without a mandated order (in independent streams) execute in undefined order and may be serialized"
   (cuda.h, cuLaunchHostFunc), and HIP calls all of them in one thread: so a long one delays those of other streams. If
   a test requests it, a device calls one at a time. */
static int one_host_thread;
static int calling_back[GPU_MOST_DEVICES];

/* CUDA's Programming Guide lists page-locked and device memory allocations under "Implicit Synchronization": commands
   of different streams that are queued before and after one "cannot run concurrently". No document states whether the
   caller waits as well: some saw it (alpaka-group/alpaka issue 2371), some did not, and would not rely on it (cupy/cupy
   pull request 2898); hipHostMalloc has waited for the device, or not, depending on the release (ROCm/hip pull requests
   1999, 2053). If a test requests it, such an allocation waits, and blocks others. */
static int allocations_wait;

/* Its words are record generations: the last requested one, the last reached one; and whether its creator has destroyed
   it. */
struct gpu_event {
  unsigned magic;
  int holders;
  int locked;
  int captured; /* it was last recorded in a stream that was captured */
  int told;     /* that this was reported */
  gpu_device* device;
  const void* context;
  int64_t own[EVENT_WORDS];
  int64_t* words;
  gpu_give* give; /* frees words that other processes see as well */
};

static int64_t word(gpu_event* event, int which) { return __atomic_load_n(&event->words[which], __ATOMIC_ACQUIRE); }

static void moment(void) {
  struct timespec moment = {0, 20000};
  gpu_unlock();
  nanosleep(&moment, NULL);
  gpu_lock();
}

/* Another process does not signal its progress here. */
static void wait_progress(gpu_event* event) {
  if (event->give == NULL) {
    gpu_wait_progress();
  } else {
    moment();
  }
}

static struct {
  char name[48];
  gpu_kernel* function;
  int parameters;
} kernels[MOST_KERNELS];

static void leave(gpu_event* event) {
  if (--event->holders > 0) return;
  event->magic = 0;
  if (event->give != NULL) event->give(event->words, sizeof(event->own));
  free(event);
}

static int64_t nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void run_copy(gpu_stream* stream, struct command* command) {
  while (command->trouble.hangs && gpu_status(stream->device) == 0) gpu_wait_progress();
  void* to = gpu_resolve(command->to, command->size, "a copy wrote");
  void* from = command->snapshot != NULL ? command->snapshot : gpu_resolve(command->from, command->size, "a copy read");
  if (to == NULL || from == NULL) {
    gpu_die(stream->device, GPU_ILLEGAL_ADDRESS);
    return;
  }
  int64_t start = nanos();
  memcpy(to, from, command->size);
  copies_done++;
  if (command->trouble.spoils) ((char*)to)[command->size / 2] ^= 1;
  if (command->trouble.times > 1) {
    gpu_unlock();
    trouble_wait(command->trouble.times, nanos() - start);
    gpu_lock();
  }
}

static void run_wait_value(gpu_stream* stream, struct command* command) {
  const uint32_t* at = (const uint32_t*)command->from;
  while (__atomic_load_n(at, __ATOMIC_ACQUIRE) < command->size && gpu_status(stream->device) == 0) {
    moment();
  }
}

static void run_host_function(gpu_stream* stream, struct command* command) {
  int* calling = &calling_back[gpu_ordinal(stream->device)];
  while ((host_functions_held || (one_host_thread && *calling > 0)) && !exit_has_begun() && gpu_status(stream->device) == 0) gpu_wait_progress();
  ++*calling;
  gpu_unlock();
  gpu_call_back(command->function, command->data);
  gpu_lock();
  --*calling;
  gpu_progress();
  exit_called_back();
}

static void run(gpu_stream* stream, struct command* command) {
  switch (command->kind) {
    case COPY: run_copy(stream, command); break;
    case RECORD:
      if (word(command->event, EVENT_COMPLETED) < command->generation) {
        __atomic_store_n(&command->event->words[EVENT_COMPLETED], command->generation, __ATOMIC_RELEASE);
      }
      break;
    case WAIT:
      while (word(command->event, EVENT_COMPLETED) < command->generation && gpu_status(stream->device) == 0 && gpu_status(command->event->device) == 0) {
        wait_progress(command->event);
      }
      break;
    case HOST: run_host_function(stream, command); break;
    case KERNEL: {
      void* arguments[MOST_PARAMETERS];
      for (int i = 0; i < MOST_PARAMETERS; i++) arguments[i] = &command->parameters[i];
      gpu_unlock();
      command->kernel(arguments);
      gpu_lock();
      break;
    }
    case WAIT_VALUE: run_wait_value(stream, command); break;
    case FREE: gpu_release_locked(command->from, (enum gpu_kind)command->size); break;
    case POISON: gpu_poison(command->from, command->size); break;
    case PREFETCH: gpu_resolve(command->from, command->size, "a prefetch read"); break;
    case FAULT: gpu_die(stream->device, GPU_ILLEGAL_ADDRESS); break;
    case HOLD:
      while (!exit_has_begun() && gpu_status(stream->device) == 0) gpu_wait_progress();
      break;
  }
}

/* Returns whether earlier work of another stream is still in a command's connection. */
static int stands_behind(const gpu_stream* stream, const struct command* command) {
  if (connections == 0) return 0;
  for (const gpu_stream* other = streams; other != NULL; other = other->next) {
    if (other == stream || other->device != stream->device || other->index % connections != stream->index % connections) continue;
    const struct command* first = other->head;
    if (first != NULL && first->passed) first = first->next;
    if (first != NULL && first->number < command->number) return 1;
  }
  return 0;
}

/*
 * "When an action is taken in the legacy stream such as a kernel launch or cudaStreamWaitEvent(), the legacy stream
 * first waits on all blocking streams, the action is queued in the legacy stream, and then all blocking streams wait on
 * the legacy stream"; "the per-thread default stream is not a non-blocking stream and will synchronize with the legacy
 * default stream" (CUDA Driver API, "Stream synchronization behavior"). HIP: its null stream and hipStreamPerThread are
 * the same (HIP programming guide, "Asynchronous concurrent execution"; getNullStream and WaitActiveStreams in
 * ROCm/clr, hipamd/src/hip_stream.cpp).
 */
static int waits_for_legacy(const gpu_stream* stream, const struct command* command) {
  if (stream->kind == NON_BLOCKING) return 0;
  for (const gpu_stream* other = streams; other != NULL; other = other->next) {
    if (other == stream || other->device != stream->device || other->context != stream->context || other->kind == NON_BLOCKING) continue;
    if (stream->kind != LEGACY && other->kind != LEGACY) continue;
    if (other->head != NULL && other->head->number < command->number) return 1;
  }
  return 0;
}

/* A wait keeps its connection until it completes. */
static int leaves_at_once(const struct command* command) {
  return command->kind != WAIT && command->kind != WAIT_VALUE && command->kind != HOLD;
}

static void* work(void* argument) {
  gpu_stream* stream = argument;
  gpu_lock();
  while (1) {
    struct command* command = stream->head;
    if (command == NULL) {
      if (stream->destroyed || exit_has_begun()) break;
      gpu_wait_progress();
      continue;
    }
    while (gpu_status(stream->device) == 0 && (stands_behind(stream, command) || waits_for_legacy(stream, command))) gpu_wait_progress();
    command->passed = leaves_at_once(command);
    if (connections != 0) gpu_progress();
    if (gpu_status(stream->device) == 0 || command->kind == FREE) run(stream, command); /* a failed device does no more work: see double_die */
    if (command->event != NULL) leave(command->event);
    stream->head = command->next;
    stream->room -= command->room;
    free(command->snapshot);
    free(command);
    gpu_counted(LIVE_COMMANDS, -1);
    gpu_progress();
  }
  stream->magic = 0;
  for (gpu_stream** at = &streams; *at != NULL; at = &(*at)->next) {
    if (*at != stream) continue;
    *at = stream->next;
    break;
  }
  gpu_unlock();
  free(stream);
  return NULL;
}

static int check(gpu_stream* stream) {
  if (stream == NULL || stream->magic != STREAM || stream->destroyed) {
    gpu_violation("a stream was used that is none, or is destroyed");
    return GPU_INVALID_HANDLE;
  }
  return gpu_status(stream->device);
}

static int check_event(gpu_event* event) {
  if (event == NULL || event->magic != EVENT) {
    gpu_violation("an event was used that is none, or is destroyed");
    return GPU_INVALID_HANDLE;
  }
  if (word(event, EVENT_GONE)) gpu_violation("an event was used that the process which made it has destroyed");
  return gpu_status(event->device);
}

void gpu_limit_streams(void) { has_limits = 1; }

int gpu_pass_full(gpu_device* device) {
  gpu_lock();
  while (waiting_for_room > 0 && gpu_status(device) == 0) gpu_wait_progress();
  int code = gpu_status(device);
  gpu_unlock();
  return code;
}

static int room_of(const gpu_stream* stream, const struct command* command) {
  if (!has_limits) return 0;
  if (command->kind == HOST) return stream->head != NULL && stream->tail->kind != HOST ? ROOM_OF_HOST_BEHIND_OTHER : 0;
  return command->kind == COPY || command->kind == KERNEL;
}

static int has_room(const gpu_stream* stream, int room) {
  if (room == 0) return 1;
  int shared = connections != 0 ? connections : CONNECTIONS;
  for (const gpu_stream* other = streams; other != NULL; other = other->next) {
    if (other->device == stream->device && other->index % shared == stream->index % shared) room += other->room;
  }
  return room <= ROOM;
}

static int is_stream(gpu_stream* stream) {
  gpu_stream* at = streams;
  while (at != NULL && at != stream) at = at->next;
  return at != NULL;
}

/* Locked. */
static int await_room(gpu_stream* stream, struct command* command) {
  command->room = room_of(stream, command);
  if (has_room(stream, command->room)) return GPU_OK;
  int code = GPU_OK;
  waiting_for_room++;
  while (code == GPU_OK && !has_room(stream, command->room)) {
    gpu_wait_progress();
    code = is_stream(stream) ? check(stream) : GPU_INVALID_HANDLE; /* another thread may have destroyed it */
    if (code == GPU_OK) command->room = room_of(stream, command);
  }
  waiting_for_room--;
  gpu_progress();
  return code;
}

static int add(gpu_stream* stream, struct command command) {
  struct command* copy = malloc(sizeof(struct command));
  if (copy == NULL) abort();
  *copy = command;
  copy->next = NULL;
  copy->number = ++last_number;
  copy->passed = 0;
  if (stream->head == NULL) {
    stream->head = copy;
  } else {
    stream->tail->next = copy;
  }
  stream->tail = copy;
  stream->room += copy->room;
  if (copy->event != NULL) copy->event->holders++;
  gpu_counted(LIVE_COMMANDS, 1);
  gpu_progress();
  return GPU_OK;
}

/*
 * A stream that its owner captures: a stream in capture mode adds queued work to a graph and does not execute it
 * (CUDA programming guide, Creating a Graph Using Stream Capture; cuda.h, cuStreamBeginCapture). The state of an event
 * that is recorded there is unknown until it is recorded elsewhere (CUDA_ERROR_CAPTURED_EVENT), a stream that waits for
 * it joins the capture, and the captured stream waits for no event from outside (CUDA_ERROR_STREAM_CAPTURE_ISOLATION).
 * A query of the stream, or a wait for it, "invalidates" the capture: so rocBLAS checks first (ROCm/rocBLAS pull
 * request 1447). A query of such an event, or a wait for it, does, too ("It is invalid to synchronize or query the
 * execution status of a stream which is being captured or a captured event", CUDA programming guide, Prohibited and
 * Unhandled Operations), and its state cannot be determined in another way. HIP reports it once, while the stream is
 * captured, and then answers as if the event had not been recorded there: with its earlier recording, or "done" without
 * one (ihipEventQuery and Event::query in ROCm/clr, hipamd/src/hip_event.cpp; there for every event whose stream is
 * captured now, even if it was recorded before).
 *
 * The default stream waits for each stream that was not created with NON_BLOCKING, and these wait for it. While one of
 * these is captured "any attempted use" of the default stream is prohibited and invalidates the capture, queries
 * included (CUDA programming guide, Prohibited and Unhandled Operations). The query whether it is captured returns
 * CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and invalidates nothing (cuda.h, cuStreamIsCapturing).
 */
static int64_t captured_commands;
static int is_capturing;
static int is_invalidated;
static int is_told_once;

void gpu_tell_captures_once(void) { is_told_once = 1; }

static int told_captured(gpu_event* event) {
  if (!event->captured || (is_told_once && (event->told || !is_capturing))) return GPU_OK;
  event->told = 1;
  if (is_capturing) is_invalidated = 1;
  return GPU_CAPTURED_EVENT;
}

static int is_implied(const gpu_stream* stream) {
  if (stream->implied || stream->kind != LEGACY) return stream->implied;
  for (const gpu_stream* other = streams; other != NULL; other = other->next) {
    if (other->device == stream->device && other->kind == BLOCKING && other->captured) return 1;
  }
  return 0;
}

static int implies(gpu_stream* stream) {
  if (!is_implied(stream)) return GPU_OK;
  gpu_violation("the default stream was used while a stream that waits for it is captured, which invalidates that capture");
  return GPU_CAPTURE_IMPLICIT;
}

static int invalidates(gpu_stream* stream, const char* what) {
  if (!stream->captured) return implies(stream);
  gpu_violation("a stream that is captured was %s, which invalidates the capture", what);
  return GPU_CAPTURE_UNSUPPORTED;
}

static int enqueue(gpu_stream* stream, struct command command) {
  gpu_lock();
  int code = check(stream);
  if (code == GPU_OK) code = implies(stream);
  if (code == GPU_OK && stream->captured) {
    captured_commands++;
    free(command.snapshot);
    gpu_unlock();
    return code;
  }
  if (code == GPU_OK) code = await_room(stream, &command);
  if (code == GPU_OK && stream->captured) code = GPU_CAPTURE_UNSUPPORTED; /* since the call began */
  if (code == GPU_OK) code = add(stream, command);
  gpu_unlock();
  return code;
}

static int create(gpu_device* device, gpu_stream** stream, enum stream_kind kind) {
  gpu_stream* made = calloc(1, sizeof(gpu_stream));
  if (made == NULL) abort();
  made->magic = STREAM;
  made->device = device;
  made->kind = kind;
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, made) != 0) abort();
  exit_keep(thread);
  gpu_lock();
  gpu_counted(LIVE_STREAMS, 1);
  made->next = streams;
  made->index = created[gpu_ordinal(device)]++;
  streams = made;
  gpu_unlock();
  *stream = made;
  return GPU_OK;
}

int gpu_stream_create(gpu_device* device, gpu_stream** stream, int non_blocking) { return create(device, stream, non_blocking ? NON_BLOCKING : BLOCKING); }

/* It is not counted: no caller could destroy it. */
static gpu_stream* create_default(gpu_device* device, enum stream_kind kind) {
  gpu_stream* stream = NULL;
  if (create(device, &stream, kind) != GPU_OK) return NULL;
  gpu_lock();
  gpu_counted(LIVE_STREAMS, -1);
  gpu_unlock();
  return stream;
}

gpu_stream* gpu_default_stream(gpu_device* device) {
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  static gpu_stream* made[GPU_MOST_DEVICES];
  gpu_stream** stream = &made[gpu_ordinal(device)];
  pthread_mutex_lock(&making);
  if (*stream == NULL) *stream = create_default(device, LEGACY);
  pthread_mutex_unlock(&making);
  return *stream;
}

gpu_stream* gpu_context_stream(gpu_device* device, const void* context) {
  gpu_stream* stream = create_default(device, LEGACY);
  gpu_stream_own(stream, context);
  return stream;
}

/* "The per-thread default stream is an implicit stream local to both the thread and the CUcontext" (CUDA Driver API,
   "Stream synchronization behavior"; hipStreamPerThread likewise). A virtual thread has that of the OS thread on which
   it runs at the moment. */
static pthread_key_t thread_streams;
static pthread_once_t thread_streams_once = PTHREAD_ONCE_INIT;

static void end_thread_streams(void* argument) {
  gpu_stream** made = argument;
  gpu_lock();
  for (int i = 0; i < GPU_MOST_DEVICES; i++) {
    if (made[i] != NULL) made[i]->destroyed = 1; /* its queued work is still done */
  }
  gpu_progress();
  gpu_unlock();
  free(made);
}

static void make_key(void) {
  if (pthread_key_create(&thread_streams, end_thread_streams) != 0) abort();
}

gpu_stream* gpu_thread_stream(gpu_device* device) {
  pthread_once(&thread_streams_once, make_key);
  gpu_stream** made = pthread_getspecific(thread_streams);
  if (made == NULL) {
    made = calloc(GPU_MOST_DEVICES, sizeof(gpu_stream*));
    if (made == NULL || pthread_setspecific(thread_streams, made) != 0) abort();
  }
  gpu_stream** stream = &made[gpu_ordinal(device)];
  if (*stream == NULL) *stream = create_default(device, BLOCKING);
  return *stream;
}

/* Its queued work is still done. */
int gpu_stream_destroy(gpu_stream* stream) {
  gpu_lock();
  int code = check(stream);
  if (code != GPU_INVALID_HANDLE) {
    stream->destroyed = 1;
    gpu_counted(LIVE_STREAMS, -1);
    gpu_progress();
  }
  gpu_unlock();
  return code;
}

int gpu_stream_is_captured(gpu_stream* stream, int* is) {
  gpu_lock();
  int code = check(stream);
  if (code == GPU_OK && is_implied(stream)) code = GPU_CAPTURE_IMPLICIT;
  if (code == GPU_OK) *is = stream->captured;
  gpu_unlock();
  return code;
}

void gpu_stream_own(gpu_stream* stream, const void* context) { stream->context = context; }

const void* gpu_stream_context(gpu_stream* stream) { return stream->context; }

gpu_device* gpu_stream_device(gpu_stream* stream) { return stream != NULL && stream->magic == STREAM ? stream->device : NULL; }

int gpu_stream_query(gpu_stream* stream) {
  gpu_lock();
  int code = check(stream);
  if (code == GPU_OK) code = invalidates(stream, "asked for");
  if (code == GPU_OK && stream->head != NULL) code = GPU_NOT_READY;
  gpu_unlock();
  return code;
}

int gpu_stream_synchronize(gpu_stream* stream) {
  gpu_lock();
  int code = check(stream);
  if (code == GPU_OK) code = invalidates(stream, "waited for");
  while (code == GPU_OK && stream->head != NULL) {
    gpu_wait_progress();
    code = gpu_status(stream->device);
  }
  gpu_unlock();
  return code;
}

void gpu_stream_lock(gpu_stream* stream) {
  gpu_lock();
  while (is_stream(stream) && stream->locked) gpu_wait_progress();
  if (is_stream(stream)) stream->locked = 1;
  gpu_unlock();
}

void gpu_stream_unlock(gpu_stream* stream) {
  gpu_lock();
  if (is_stream(stream)) stream->locked = 0;
  gpu_progress();
  gpu_unlock();
}

void gpu_stream_pass(gpu_stream* stream) {
  gpu_lock();
  while (is_stream(stream) && stream->locked) gpu_wait_progress();
  gpu_unlock();
}

/* Waits until all work that is queued on the device now is done. Locked. */
static void await_device(gpu_device* device) {
  int64_t target = last_number;
  gpu_stream* at = streams;
  while (at != NULL && gpu_status(device) == 0) {
    if (at->device == device && at->head != NULL && at->head->number <= target) {
      gpu_wait_progress();
      at = streams; /* it may be gone */
    } else {
      at = at->next;
    }
  }
}

void gpu_device_synchronize(gpu_device* device) {
  gpu_lock();
  await_device(device);
  gpu_unlock();
}

void gpu_wait_as_free(gpu_device* device) {
  gpu_lock();
  gpu_free_begins();
  await_device(device);
  gpu_free_ends();
  gpu_unlock();
}

void gpu_wait_as_allocation(gpu_device* device) {
  if (allocations_wait) gpu_wait_as_free(device);
}

int gpu_free(gpu_device* device, uint64_t address, enum gpu_kind kind) {
  gpu_lock();
  gpu_free_begins();
  await_device(device);
  int code = gpu_release_locked(address, kind);
  gpu_free_ends();
  gpu_unlock();
  return code;
}

int gpu_prefetch(gpu_stream* stream, uint64_t address, size_t size) {
  return enqueue(stream, (struct command){.kind = PREFETCH, .from = address, .size = size});
}

int gpu_fault(gpu_stream* stream) { return enqueue(stream, (struct command){.kind = FAULT}); }

int gpu_launch_host(gpu_stream* stream, gpu_function* function, void* data) {
  return enqueue(stream, (struct command){.kind = HOST, .function = function, .data = data});
}

int gpu_wait_value(gpu_stream* stream, uint64_t address, uint32_t value) {
  return enqueue(stream, (struct command){.kind = WAIT_VALUE, .from = address, .size = value});
}

/* "During stream capture, this function results in the creation of a free node and must therefore be passed the address of a graph allocation" (cuda.h,
   cuMemFreeAsync; hip_runtime_api.h, hipFreeAsync). */
int gpu_free_async(gpu_stream* stream, enum gpu_kind kind, uint64_t address) {
  int is_captured = 0;
  if (gpu_stream_is_captured(stream, &is_captured) == GPU_OK && is_captured) {
    gpu_violation("memory that is not a graph's was freed in a stream that is captured, which invalidates the capture");
    return GPU_INVALID_VALUE;
  }
  gpu_lock();
  gpu_mark_freed(address, 1);
  gpu_unlock();
  int code = enqueue(stream, (struct command){.kind = FREE, .from = address, .size = kind});
  if (code == GPU_OK) return code;
  gpu_lock();
  gpu_mark_freed(address, 0);
  gpu_unlock();
  return code;
}

/*
 * A pool serves memory that was freed in the same stream at once, while earlier work of the stream still uses it. "The
 * allocator is free to reallocate the memory as long as it can guarantee that compliant memory accesses will not
 * overlap temporally. The allocator may refer to internal stream ordering" (cuda.h, Stream Ordered Memory Allocator).
 * Work that does not wait for the stream then finds another user's bytes.
 */
int gpu_reuse(gpu_stream* stream, size_t size, const unsigned* pool_let, uint64_t* address) {
  int is_found = 0;
  gpu_lock();
  struct command* command = stream->head == NULL ? NULL : stream->head->next; /* the first one may run now */
  for (; command != NULL && !is_found; command = command->next) {
    if (command->kind != FREE || !gpu_is_of_pool(command->from, size, pool_let)) continue;
    command->kind = POISON;
    command->size = size;
    *address = command->from;
    gpu_mark_freed(command->from, 0);
    is_found = 1;
  }
  gpu_unlock();
  return is_found;
}

static gpu_stream* about_to_free(const gpu_stream* except) {
  for (gpu_stream* stream = streams; stream != NULL; stream = stream->next) {
    if (stream == except || stream->device != except->device || stream->destroyed) continue;
    for (struct command* command = stream->head; command != NULL; command = command->next) {
      if (command->kind == FREE) return stream;
    }
  }
  return NULL;
}

int gpu_wait_for_frees(gpu_stream* stream) {
  gpu_lock();
  gpu_stream* other = about_to_free(stream);
  gpu_unlock();
  gpu_event* freed;
  if (other == NULL) return GPU_OK;
  int code = gpu_event_create(other->device, &freed);
  if (code != GPU_OK) return code;
  code = gpu_event_record(freed, other);
  if (code == GPU_OK) code = gpu_event_wait(stream, freed);
  gpu_event_destroy(freed);
  return code;
}

/* A driver copies memory that is not pinned through its own memory. It reads a small source immediately, regardless of
   queued work; for a large one, for copies to main memory, and within main memory, the caller waits until the stream is
   done. If devices have access to it, "transfers" are instead like those of pinned memory (CUDA Driver API, "API
   synchronization behavior", and CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES). */
int gpu_copy(gpu_stream* stream, uint64_t to, uint64_t from, size_t size, int pinned_waits) {
  enum gpu_kind to_kind = gpu_kind_of(to, NULL);
  enum gpu_kind from_kind = gpu_kind_of(from, NULL);
  if (gpu_reaches_pageable() && to_kind == GPU_PAGEABLE) to_kind = GPU_MANAGED;
  if (gpu_reaches_pageable() && from_kind == GPU_PAGEABLE) from_kind = GPU_MANAGED;
  int out = to_kind == GPU_PAGEABLE || (to_kind == GPU_PINNED && (from_kind == GPU_PAGEABLE || (from_kind == GPU_PINNED && pinned_waits)));
  int in = from_kind == GPU_PAGEABLE;
  struct command command = {.kind = COPY, .to = to, .from = from, .size = size, .trouble = trouble_of_copy()};
  if (in && !out && size <= READ_AT_ONCE) {
    command.snapshot = malloc(size + 1);
    if (command.snapshot == NULL) abort();
    memcpy(command.snapshot, (void*)from, size);
  }
  int code = enqueue(stream, command);
  if (code != GPU_OK) free(command.snapshot);
  return code == GPU_OK && (out || (in && command.snapshot == NULL)) ? gpu_stream_synchronize(stream) : code;
}

int gpu_event_create(gpu_device* device, gpu_event** event) {
  gpu_event* made = calloc(1, sizeof(gpu_event));
  if (made == NULL) abort();
  made->magic = EVENT;
  made->holders = 1;
  made->device = device;
  made->words = made->own;
  gpu_lock();
  gpu_counted(LIVE_EVENTS, 1);
  gpu_unlock();
  *event = made;
  return GPU_OK;
}

void gpu_event_own(gpu_event* event, const void* context) { event->context = context; }

int gpu_event_destroy(gpu_event* event) {
  gpu_lock();
  int code = check_event(event);
  if (code != GPU_INVALID_HANDLE) {
    if (event->locked) gpu_violation("an event was destroyed while a thread waited for it");
    event->magic = 0; /* work that waits for it continues to wait */
    gpu_counted(LIVE_EVENTS, -1);
    leave(event);
  }
  gpu_unlock();
  return code;
}

int gpu_event_record(gpu_event* event, gpu_stream* stream) {
  gpu_lock();
  int code = check(stream);
  if (code == GPU_OK) code = check_event(event);
  if (code == GPU_OK && (event->device != stream->device || event->context != stream->context)) code = GPU_INVALID_HANDLE;
  if (code == GPU_OK) code = implies(stream);
  if (code == GPU_OK) {
    event->captured = stream->captured;
    event->told = 0;
  }
  if (code == GPU_OK && stream->captured) {
    captured_commands++;
    gpu_unlock();
    return code;
  }
  if (code == GPU_OK) code = add(stream, (struct command){.kind = RECORD, .event = event, .generation = ++event->words[EVENT_RECORDED]});
  gpu_unlock();
  return code;
}

int gpu_event_wait(gpu_stream* stream, gpu_event* event) {
  gpu_lock();
  int code = check(stream);
  if (code == GPU_OK) code = check_event(event);
  if (code == GPU_OK) code = implies(stream);
  if (code == GPU_OK && stream->captured && !event->captured) {
    gpu_violation("a stream that is captured was to wait for an event from outside, which invalidates the capture");
    code = GPU_CAPTURE_ISOLATION;
  }
  if (code == GPU_OK && event->captured) {
    stream->captured = 1;
    captured_commands++;
    gpu_unlock();
    return code;
  }
  if (code == GPU_OK) code = add(stream, (struct command){.kind = WAIT, .event = event, .generation = word(event, EVENT_RECORDED)});
  gpu_unlock();
  return code;
}

int gpu_event_query(gpu_event* event) {
  gpu_lock();
  int code = check_event(event);
  if (code == GPU_OK) code = told_captured(event);
  if (code == GPU_OK && word(event, EVENT_COMPLETED) < word(event, EVENT_RECORDED)) code = GPU_NOT_READY;
  gpu_unlock();
  return code;
}

int gpu_event_synchronize(gpu_event* event) {
  gpu_lock();
  int code = check_event(event);
  if (code == GPU_OK) code = told_captured(event);
  if (code == GPU_OK) {
    int64_t generation = word(event, EVENT_RECORDED);
    event->holders++;
    while (code == GPU_OK && word(event, EVENT_COMPLETED) < generation) {
      wait_progress(event);
      code = gpu_status(event->device);
    }
    leave(event);
  }
  gpu_unlock();
  return code;
}

void gpu_event_move(gpu_event* event, int64_t* words, gpu_give* give) {
  gpu_lock();
  event->words = words;
  event->give = give;
  gpu_unlock();
}

int64_t* gpu_event_words(gpu_event* event) { return event != NULL && event->magic == EVENT && event->give != NULL ? event->words : NULL; }

void gpu_event_lock(gpu_event* event) {
  gpu_lock();
  event->holders++;
  while (event->locked) gpu_wait_progress();
  event->locked = 1;
  gpu_unlock();
}

void gpu_event_unlock(gpu_event* event) {
  gpu_lock();
  event->locked = 0;
  leave(event);
  gpu_progress();
  gpu_unlock();
}

int gpu_has_kernel(const char* name) {
  for (int i = 0; i < MOST_KERNELS; i++) {
    if (kernels[i].function != NULL && strcmp(kernels[i].name, name) == 0) return 1;
  }
  return 0;
}

int gpu_launch_kernel(gpu_stream* stream, const char* name, void** parameters) {
  for (int i = 0; i < MOST_KERNELS; i++) {
    if (kernels[i].function == NULL || strcmp(kernels[i].name, name) != 0) continue;
    struct command command = {.kind = KERNEL, .kernel = kernels[i].function};
    for (int p = 0; p < kernels[i].parameters; p++) memcpy(&command.parameters[p], parameters[p], sizeof(uint64_t));
    return enqueue(stream, command);
  }
  return GPU_NOT_FOUND;
}

/* Defines a C function that simulates a kernel of that name; each parameter takes 8 bytes. */
DOUBLE int double_kernel(const char* name, gpu_kernel* function, int parameters) {
  if (parameters > MOST_PARAMETERS) return 0;
  for (int i = 0; i < MOST_KERNELS; i++) {
    if (kernels[i].function != NULL && strcmp(kernels[i].name, name) != 0) continue;
    strncpy(kernels[i].name, name, sizeof(kernels[i].name) - 1);
    kernels[i].function = function;
    kernels[i].parameters = parameters;
    return 1;
  }
  return 0;
}

/* Sets whether host functions are delayed, as by a busy CPU. */
DOUBLE void double_hold_host_functions(int hold) {
  gpu_lock();
  host_functions_held = hold;
  gpu_progress();
  gpu_unlock();
}

/* Sets whether a device calls one host function at a time. */
DOUBLE void double_one_host_thread(int is_one) {
  gpu_lock();
  one_host_thread = is_one;
  gpu_progress();
  gpu_unlock();
}

/* Sets whether an allocation outside a stream's order waits for the device. */
DOUBLE void double_allocations_wait(int wait) { allocations_wait = wait; }

/* Begins, or ends, the capture of a stream; the graph is never launched. Returns the number of captured commands; -1 if
   an event of it was queried. */
DOUBLE int64_t double_capture_stream(gpu_stream* stream, int begins) {
  gpu_lock();
  int64_t captured = is_invalidated ? -1 : captured_commands;
  stream->captured = is_capturing = begins;
  captured_commands = is_invalidated = 0;
  gpu_unlock();
  return captured;
}

/* Returns an event that was recorded in a stream during a capture; NULL if that failed. */
DOUBLE gpu_event* double_captured_event(gpu_stream* stream) {
  gpu_event* event = NULL;
  int code = gpu_event_create(gpu_stream_device(stream), &event);
  return code == GPU_OK && gpu_event_record(event, stream) == GPU_OK ? event : NULL;
}

/* Begins, or ends, the capture of a stream of a device that was created without NON_BLOCKING. */
DOUBLE void double_capture_blocking(int ordinal, int begins) {
  gpu_stream* stream = gpu_default_stream(gpu_at(ordinal));
  gpu_lock();
  stream->implied = begins;
  gpu_unlock();
}

/* Returns the number of copies that devices have done since the process began. */
DOUBLE int64_t double_copies_done(void) { return copies_done; }

/* Holds the work that is queued in a stream from now on until the process ends; see exit.h. */
DOUBLE int double_hold(gpu_stream* stream) { return enqueue(stream, (struct command){.kind = HOLD}); }

/* Sets the number of connections of each device; 0 for one per stream. */
DOUBLE void double_connections(int count) {
  gpu_lock();
  connections = count;
  gpu_progress();
  gpu_unlock();
}
