// SPDX-License-Identifier: Apache-2.0
// OpenCL functions that are found before those of the loader. They add three devices, copies of the loader's first device, two of which have unified
// shared memory as in the extension cl_intel_unified_shared_memory (Khronos's OpenCL-Docs,
// extensions/cl_intel_unified_shared_memory.asciidoc, version 1.1.0). The first has no shared virtual memory. The second also has the
// coarse-grained kind. A third device has neither, like those of Mesa's rusticl, whose device.rs returned 0 for
// CL_DEVICE_SVM_CAPABILITIES in earlier releases. The loader does everything else: contexts, queues, events.
//
// Where the specification leaves a choice, this library is as strict as a platform may be:
// - unified memory, or a device without shared virtual memory, as an argument of a function for shared virtual memory is a violation;
// - the CPU faults on memory of the device's kind, which is mapped a second time for this library;
// - clMemFreeINTEL does not wait ("may not wait for previously enqueued commands"): freeing memory that a command still uses is a violation;
// - a cl_mem over unified memory is rejected (issue 25 of the specification, "trending no");
// - an allocation of zero bytes, or an alignment beyond the largest type's, is rejected with the specification's codes;
// - a query of the pointer NULL is rejected with CL_INVALID_MEM_OBJECT, as by PoCL 7, where the specification says "unknown".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void* handle;

enum { SUCCESS = 0, OUT_OF_RESOURCES = -5, INVALID_VALUE = -30, INVALID_DEVICE = -33, INVALID_HOST_PTR = -37, INVALID_MEM_OBJECT = -38, INVALID_BUFFER_SIZE = -61 };
enum { DEVICE_NAME = 0x102B, DEVICE_EXTENSIONS = 0x1030, DEVICE_SVM_CAPABILITIES = 0x1053, HOST_CAPABILITIES = 0x4190, SYSTEM_CAPABILITIES = 0x4194 };
enum { ALLOC_TYPE = 0x419A, ALLOC_BASE = 0x419B, ALLOC_SIZE = 0x419C, ALLOC_DEVICE = 0x419D };
enum { KIND_UNKNOWN = 0x4196, KIND_HOST = 0x4197, KIND_DEVICE = 0x4198, KIND_SHARED = 0x4199 };
enum { EVENT_STATUS = 0x11D3, USE_HOST_PTR = 1 << 3, DEVICES = 3, MOST = 4096 };

typedef struct {
  handle dispatch;
  int has_svm;
} device;

typedef struct {
  char* base;
  char* alias; // the address by which this library accesses it
  size_t size, mapped;
  int kind;
  handle context;
  device* of;
} allocation;

typedef struct {
  char* ranges[2];
  size_t size;
  handle event;
} command;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static handle loader;
static handle real_device;
static device devices[DEVICES] = {{0, 0}, {0, 1}, {0, 0}};
#define BARE (&devices[2]) // it has neither kind of memory
static struct { handle key; device* of; } contexts[MOST], queues[MOST];
static int context_count, queue_count;
static allocation allocations[MOST];
static int allocation_count;
static command commands[MOST * 4];
static int command_count;
static long violation_count, memcpy_count, mem_objects, events, flushes, callbacks, maps, buffer_copies;
static char first_violation[256];
static char fail_name[64];
static int fail_code;
static long fail_nth;

static handle real(const char* name) {
  if (!loader) loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return loader ? dlsym(loader, name) : 0;
}

#define REAL(result, name, types) static result(*real_function) types; if (!real_function) real_function = (result(*) types)real(name)

static void violation(const char* words) {
  if (violation_count++ == 0) snprintf(first_violation, sizeof first_violation, "%s", words);
}

static int fails(const char* name) {
  if (strcmp(name, fail_name) != 0 || --fail_nth > 0) return 0;
  fail_name[0] = 0;
  return 1;
}

/** Counts an event that a command has returned. */
static int counted(const handle* event, int code) {
  if (event && code == SUCCESS) __atomic_add_fetch(&events, 1, __ATOMIC_SEQ_CST);
  return code;
}

static device* ours(handle d) {
  for (int i = 0; i < DEVICES; i++) if (d == &devices[i]) return d;
  return 0;
}

static device* of_context(handle context) {
  for (int i = context_count - 1; i >= 0; i--) if (contexts[i].key == context) return contexts[i].of;
  return 0;
}

static device* of_queue(handle queue) {
  for (int i = queue_count - 1; i >= 0; i--) if (queues[i].key == queue) return queues[i].of;
  return 0;
}

static allocation* at(const void* address) {
  for (int i = 0; i < allocation_count; i++) {
    if ((char*)address >= allocations[i].base && (char*)address < allocations[i].base + allocations[i].size) return &allocations[i];
  }
  return 0;
}

// ---- devices

int clGetDeviceIDs(handle platform, unsigned long type, unsigned entries, handle* list, unsigned* count) {
  REAL(int, "clGetDeviceIDs", (handle, unsigned long, unsigned, handle*, unsigned*));
  unsigned there = 0;
  int code = real_function(platform, type, 0, 0, &there);
  if (code != SUCCESS) return code;
  if (!real_device) real_function(platform, type, 1, &real_device, 0);
  if (list) {
    code = real_function(platform, type, entries < there ? entries : there, list, 0);
    for (unsigned i = 0; i < DEVICES && there + i < entries; i++) list[there + i] = &devices[i];
  }
  if (count) *count = there + DEVICES;
  return code;
}

static int answer(const void* value, size_t bytes, size_t size, void* out, size_t* size_out) {
  if (size_out) *size_out = bytes;
  if (!out) return SUCCESS;
  if (size < bytes) return INVALID_VALUE;
  memcpy(out, value, bytes);
  return SUCCESS;
}

int clGetDeviceInfo(handle d, unsigned what, size_t size, void* value, size_t* size_out) {
  REAL(int, "clGetDeviceInfo", (handle, unsigned, size_t, void*, size_t*));
  device* mine = ours(d);
  if (!mine) return real_function(d, what, size, value, size_out);
  if (what == DEVICE_SVM_CAPABILITIES) {
    uint64_t svm = mine->has_svm ? 1 : 0;
    return answer(&svm, sizeof svm, size, value, size_out);
  }
  if (mine == BARE && what == DEVICE_NAME) return answer("bare double", sizeof "bare double", size, value, size_out);
  if (mine == BARE && what >= HOST_CAPABILITIES && what <= SYSTEM_CAPABILITIES) return INVALID_VALUE;
  if (what >= HOST_CAPABILITIES && what <= SYSTEM_CAPABILITIES) {
    uint64_t access = what < SYSTEM_CAPABILITIES - 1 ? 1 : 0;
    return answer(&access, sizeof access, size, value, size_out);
  }
  if (what == DEVICE_EXTENSIONS && mine != BARE) {
    char text[8192];
    int code = real_function(real_device, what, sizeof text - 64, text, 0);
    if (code != SUCCESS) return code;
    strcat(text, " cl_intel_unified_shared_memory");
    return answer(text, strlen(text) + 1, size, value, size_out);
  }
  return real_function(real_device, what, size, value, size_out);
}

handle clCreateContext(const void* properties, unsigned count, const handle* list, void* notify, void* data, int* error) {
  REAL(handle, "clCreateContext", (const void*, unsigned, const handle*, void*, void*, int*));
  device* mine = count == 1 ? ours(list[0]) : 0;
  handle context = real_function(properties, count, mine ? &real_device : list, notify, data, error);
  if (!mine || !context) return context;
  pthread_mutex_lock(&lock);
  contexts[context_count].key = context;
  contexts[context_count++].of = mine;
  pthread_mutex_unlock(&lock);
  return context;
}

handle clCreateCommandQueueWithProperties(handle context, handle d, const void* properties, int* error) {
  REAL(handle, "clCreateCommandQueueWithProperties", (handle, handle, const void*, int*));
  device* mine = ours(d);
  if (mine && of_context(context) != mine) {
    *error = INVALID_DEVICE;
    return 0;
  }
  handle queue = real_function(context, mine ? real_device : d, properties, error);
  if (!mine || !queue) return queue;
  pthread_mutex_lock(&lock);
  if (queue_count == MOST) { // the oldest queues no longer exist
    memmove(queues, queues + MOST / 2, sizeof queues / 2);
    queue_count = MOST / 2;
  }
  queues[queue_count].key = queue;
  queues[queue_count++].of = mine;
  pthread_mutex_unlock(&lock);
  return queue;
}

// ---- shared virtual memory; unified memory is rejected

handle clSVMAlloc(handle context, unsigned long flags, size_t size, unsigned alignment) {
  REAL(handle, "clSVMAlloc", (handle, unsigned long, size_t, unsigned));
  device* mine = of_context(context);
  if (mine && !mine->has_svm) {
    violation("clSVMAlloc on a device without shared virtual memory");
    return 0;
  }
  return real_function(context, flags, size, alignment);
}

static int check_svm(const char* name, handle queue, const void* one, const void* other) {
  device* mine = of_queue(queue);
  if (!mine) return SUCCESS;
  pthread_mutex_lock(&lock);
  int wrong = !mine->has_svm || (one && at(one)) || (other && at(other));
  if (wrong) violation(name);
  pthread_mutex_unlock(&lock);
  return wrong ? INVALID_VALUE : SUCCESS;
}

int clEnqueueSVMMemcpy(handle queue, unsigned blocking, void* to, const void* from, size_t size, unsigned count, const handle* list, handle* event) {
  REAL(int, "clEnqueueSVMMemcpy", (handle, unsigned, void*, const void*, size_t, unsigned, const handle*, handle*));
  int code = check_svm("clEnqueueSVMMemcpy of unified memory, or without shared virtual memory", queue, to, from);
  return code != SUCCESS ? code : counted(event, real_function(queue, blocking, to, from, size, count, list, event));
}

int clEnqueueSVMMap(handle queue, unsigned blocking, unsigned long flags, void* address, size_t size, unsigned count, const handle* list, handle* event) {
  REAL(int, "clEnqueueSVMMap", (handle, unsigned, unsigned long, void*, size_t, unsigned, const handle*, handle*));
  int code = check_svm("clEnqueueSVMMap of unified memory, or without shared virtual memory", queue, address, 0);
  return code != SUCCESS ? code : real_function(queue, blocking, flags, address, size, count, list, event);
}

int clEnqueueSVMUnmap(handle queue, void* address, unsigned count, const handle* list, handle* event) {
  REAL(int, "clEnqueueSVMUnmap", (handle, void*, unsigned, const handle*, handle*));
  int code = check_svm("clEnqueueSVMUnmap of unified memory, or without shared virtual memory", queue, address, 0);
  return code != SUCCESS ? code : real_function(queue, address, count, list, event);
}

handle clCreateBuffer(handle context, unsigned long flags, size_t size, void* pointer, int* error) {
  REAL(handle, "clCreateBuffer", (handle, unsigned long, size_t, void*, int*));
  pthread_mutex_lock(&lock);
  int code = (flags & USE_HOST_PTR) && at(pointer) ? INVALID_HOST_PTR : fails("clCreateBuffer") ? fail_code : SUCCESS;
  pthread_mutex_unlock(&lock);
  if (code != SUCCESS) {
    *error = code;
    return 0;
  }
  handle memory = real_function(context, flags, size, pointer, error);
  if (memory) __atomic_add_fetch(&mem_objects, 1, __ATOMIC_SEQ_CST);
  return memory;
}

handle clCreateSubBuffer(handle whole, unsigned long flags, unsigned type, const void* region, int* error) {
  REAL(handle, "clCreateSubBuffer", (handle, unsigned long, unsigned, const void*, int*));
  pthread_mutex_lock(&lock);
  int failed = fails("clCreateSubBuffer");
  pthread_mutex_unlock(&lock);
  if (failed) {
    *error = fail_code;
    return 0;
  }
  handle memory = real_function(whole, flags, type, region, error);
  if (memory) __atomic_add_fetch(&mem_objects, 1, __ATOMIC_SEQ_CST);
  return memory;
}

int clReleaseMemObject(handle memory) {
  REAL(int, "clReleaseMemObject", (handle));
  int code = real_function(memory);
  if (code == SUCCESS) __atomic_add_fetch(&mem_objects, -1, __ATOMIC_SEQ_CST);
  return code;
}

int clEnqueueCopyBuffer(handle queue, handle from, handle to, size_t from_offset, size_t to_offset, size_t size, unsigned count, const handle* list, handle* event) {
  REAL(int, "clEnqueueCopyBuffer", (handle, handle, handle, size_t, size_t, size_t, unsigned, const handle*, handle*));
  pthread_mutex_lock(&lock);
  int failed = fails("clEnqueueCopyBuffer");
  pthread_mutex_unlock(&lock);
  if (!failed) __atomic_add_fetch(&buffer_copies, 1, __ATOMIC_SEQ_CST);
  return failed ? fail_code : counted(event, real_function(queue, from, to, from_offset, to_offset, size, count, list, event));
}

// ---- counters

int clEnqueueMarkerWithWaitList(handle queue, unsigned count, const handle* list, handle* event) {
  REAL(int, "clEnqueueMarkerWithWaitList", (handle, unsigned, const handle*, handle*));
  return counted(event, real_function(queue, count, list, event));
}

int clEnqueueBarrierWithWaitList(handle queue, unsigned count, const handle* list, handle* event) {
  REAL(int, "clEnqueueBarrierWithWaitList", (handle, unsigned, const handle*, handle*));
  return counted(event, real_function(queue, count, list, event));
}

int clRetainEvent(handle event) {
  REAL(int, "clRetainEvent", (handle));
  return counted(&event, real_function(event));
}

int clReleaseEvent(handle event) {
  REAL(int, "clReleaseEvent", (handle));
  int code = real_function(event);
  if (code == SUCCESS) __atomic_add_fetch(&events, -1, __ATOMIC_SEQ_CST);
  return code;
}

int clFlush(handle queue) {
  REAL(int, "clFlush", (handle));
  __atomic_add_fetch(&flushes, 1, __ATOMIC_SEQ_CST);
  return real_function(queue);
}

handle clEnqueueMapBuffer(handle queue, handle memory, unsigned blocking, unsigned long flags, size_t offset, size_t size, unsigned count, const handle* list, handle* event, int* error) {
  REAL(handle, "clEnqueueMapBuffer", (handle, handle, unsigned, unsigned long, size_t, size_t, unsigned, const handle*, handle*, int*));
  __atomic_add_fetch(&maps, 1, __ATOMIC_SEQ_CST);
  return real_function(queue, memory, blocking, flags, offset, size, count, list, event, error);
}

int clSetEventCallback(handle event, int status, void* function, void* data) {
  REAL(int, "clSetEventCallback", (handle, int, void*, void*));
  __atomic_add_fetch(&callbacks, 1, __ATOMIC_SEQ_CST);
  return real_function(event, status, function, data);
}

// ---- unified shared memory

static int is_over(handle event) {
  REAL(int, "clGetEventInfo", (handle, unsigned, size_t, void*, size_t*));
  int status = 1;
  real_function(event, EVENT_STATUS, sizeof status, &status, 0);
  return status <= 0;
}

static void forget_what_is_over(void) {
  static int (*release)(handle);
  if (!release) release = (int (*)(handle))real("clReleaseEvent");
  int kept = 0;
  for (int i = 0; i < command_count; i++) {
    if (!is_over(commands[i].event)) {
      commands[kept++] = commands[i];
    } else {
      int status = 0;
      static int (*info)(handle, unsigned, size_t, void*, size_t*);
      if (!info) info = (int (*)(handle, unsigned, size_t, void*, size_t*))real("clGetEventInfo");
      info(commands[i].event, EVENT_STATUS, sizeof status, &status, 0);
      if (status == 0) release(commands[i].event); // PoCL 3.1 ends the process if a failed event is released
    }
  }
  command_count = kept;
}

static int is_used(const allocation* a) {
  forget_what_is_over();
  for (int i = 0; i < command_count; i++) {
    for (int j = 0; j < 2; j++) {
      if (commands[i].ranges[j] < a->base + a->size && commands[i].ranges[j] + commands[i].size > a->base) return 1;
    }
  }
  return 0;
}

static void* allocate(const char* name, handle context, handle d, int kind, size_t size, unsigned alignment, int* error) {
  device* mine = of_context(context);
  int code = SUCCESS;
  pthread_mutex_lock(&lock);
  if (!mine || (d && d != mine)) code = INVALID_DEVICE;
  else if (size == 0) code = INVALID_BUFFER_SIZE;
  else if (alignment > 128 || (alignment & (alignment - 1))) code = INVALID_VALUE;
  else if (fails(name)) code = fail_code;
  else if (allocation_count == MOST) code = OUT_OF_RESOURCES;
  allocation a = {.size = size, .kind = kind, .context = context, .of = kind == KIND_HOST ? 0 : mine};
  if (code == SUCCESS) {
    a.mapped = (size + 4095) & ~(size_t)4095;
    int file = memfd_create("usm", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, a.mapped) != 0) {
      code = OUT_OF_RESOURCES;
    } else {
      a.alias = mmap(0, a.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      a.base = kind == KIND_DEVICE ? mmap(0, a.mapped, PROT_NONE, MAP_SHARED, file, 0) : a.alias;
      if (a.alias == MAP_FAILED || a.base == MAP_FAILED) code = OUT_OF_RESOURCES;
    }
    if (file >= 0) close(file);
  }
  if (code == SUCCESS) {
    memset(a.alias, 0xDB, size); // undefined contents, not zeros
    allocations[allocation_count++] = a;
  }
  pthread_mutex_unlock(&lock);
  if (error) *error = code;
  return code == SUCCESS ? a.base : 0;
}

static void* host_alloc(handle context, const void* properties, size_t size, unsigned alignment, int* error) {
  (void)properties;
  return allocate("clHostMemAllocINTEL", context, 0, KIND_HOST, size, alignment, error);
}

static void* device_alloc(handle context, handle d, const void* properties, size_t size, unsigned alignment, int* error) {
  (void)properties;
  return allocate("clDeviceMemAllocINTEL", context, d, KIND_DEVICE, size, alignment, error);
}

static void* shared_alloc(handle context, handle d, const void* properties, size_t size, unsigned alignment, int* error) {
  (void)properties;
  return allocate("clSharedMemAllocINTEL", context, d, KIND_SHARED, size, alignment, error);
}

static int free_memory(handle context, void* address) {
  if (!address) return SUCCESS;
  int code = SUCCESS;
  pthread_mutex_lock(&lock);
  allocation* a = at(address);
  if (!a || a->base != address || a->context != context) {
    violation("clMemFreeINTEL of memory that the context did not allocate");
    code = INVALID_VALUE;
  } else {
    if (is_used(a)) violation("clMemFreeINTEL of memory that a command uses");
    if (a->alias != a->base) munmap(a->alias, a->mapped);
    munmap(a->base, a->mapped);
    *a = allocations[--allocation_count];
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int info(handle context, const void* address, unsigned what, size_t size, void* value, size_t* size_out) {
  if (!address) return INVALID_MEM_OBJECT;
  pthread_mutex_lock(&lock);
  allocation* found = at(address);
  allocation a = {.kind = KIND_UNKNOWN};
  if (found && found->context == context) a = *found;
  pthread_mutex_unlock(&lock);
  switch (what) {
    case ALLOC_TYPE: return answer(&a.kind, sizeof(unsigned), size, value, size_out);
    case ALLOC_BASE: return answer(&a.base, sizeof a.base, size, value, size_out);
    case ALLOC_SIZE: return answer(&a.size, sizeof a.size, size, value, size_out);
    case ALLOC_DEVICE: return answer(&a.of, sizeof a.of, size, value, size_out);
    default: return INVALID_VALUE;
  }
}

typedef struct {
  char *to, *from;
  size_t size;
} copy_arguments;

static void copy_now(void* arguments) {
  copy_arguments* copy = arguments;
  memcpy(copy->to, copy->from, copy->size);
}

/** Returns the accessible address; 0 if it belongs to another context, or exceeds its allocation. */
static char* reached(handle queue, char* address, size_t size) {
  allocation* a = at(address);
  if (!a) return address;
  if (a->of && a->of != of_queue(queue)) return 0;
  if (address + size > a->base + a->size) return 0;
  return a->alias + (address - a->base);
}

static int enqueue_memcpy(handle queue, unsigned blocking, void* to, const void* from, size_t size, unsigned count, const handle* list, handle* event) {
  REAL(int, "clEnqueueNativeKernel", (handle, void (*)(void*), void*, size_t, unsigned, const handle*, const void**, unsigned, const handle*, handle*));
  static int (*retain)(handle);
  if (!retain) retain = (int (*)(handle))real("clRetainEvent");
  (void)blocking;
  if (!to || !from || !of_queue(queue)) return INVALID_VALUE;
  pthread_mutex_lock(&lock);
  int code = fails("clEnqueueMemcpyINTEL") ? fail_code : SUCCESS;
  copy_arguments copy = {reached(queue, to, size), reached(queue, (char*)from, size), size};
  if (!copy.to || !copy.from) {
    violation("clEnqueueMemcpyINTEL beyond an allocation, or of another device's");
    code = INVALID_VALUE;
  }
  handle done = 0;
  if (code == SUCCESS) code = real_function(queue, copy_now, &copy, sizeof copy, 0, 0, 0, count, list, &done);
  if (code == SUCCESS) {
    memcpy_count++;
    if (command_count == MOST * 4) forget_what_is_over();
    commands[command_count++] = (command){{to, (char*)from}, size, done};
    retain(done); // for this library; a second time if the caller has no reference, because PoCL 3.1 requires one
    if (event) *event = done;
  }
  pthread_mutex_unlock(&lock);
  return counted(event, code);
}

static int no_function(void) {
  return INVALID_VALUE;
}

handle clGetExtensionFunctionAddressForPlatform(handle platform, const char* name) {
  REAL(handle, "clGetExtensionFunctionAddressForPlatform", (handle, const char*));
  static const struct { const char* name; handle function; } functions[] = {
    {"clHostMemAllocINTEL", host_alloc}, {"clDeviceMemAllocINTEL", device_alloc}, {"clSharedMemAllocINTEL", shared_alloc},
    {"clMemFreeINTEL", free_memory}, {"clMemBlockingFreeINTEL", no_function}, {"clGetMemAllocInfoINTEL", info}, {"clEnqueueMemcpyINTEL", enqueue_memcpy},
  };
  for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) if (strcmp(name, functions[i].name) == 0) return functions[i].function;
  return real_function(platform, name);
}

// ---- for tests

long usm_live(int kind) {
  pthread_mutex_lock(&lock);
  long live = 0;
  for (int i = 0; i < allocation_count; i++) live += allocations[i].kind == kind;
  pthread_mutex_unlock(&lock);
  return live;
}

long usm_memcpys(void) {
  return memcpy_count;
}

long usm_violations(void) {
  return violation_count;
}

const char* usm_violation(void) {
  return first_violation;
}

void usm_reset(void) {
  violation_count = 0;
  first_violation[0] = 0;
  fail_name[0] = 0;
}

/** Returns a counter: 0 references to events, 1 flushes, 2 requested callbacks, 3 mapped cl_mem, 4 copied cl_mem. */
long usm_count(int what) {
  long* counts[] = {&events, &flushes, &callbacks, &maps, &buffer_copies};
  return __atomic_load_n(counts[what], __ATOMIC_SEQ_CST);
}

/** The number of cl_mem that were created and not released, by any caller of this library. */
long usm_mem_objects(void) {
  return __atomic_load_n(&mem_objects, __ATOMIC_SEQ_CST);
}

/** Makes the nth call of a function from now on fail. */
void usm_fail(const char* name, long nth, int code) {
  pthread_mutex_lock(&lock);
  snprintf(fail_name, sizeof fail_name, "%s", name);
  fail_nth = nth;
  fail_code = code;
  pthread_mutex_unlock(&lock);
}

/** Returns whether a requested failure has not occurred; removes it. */
int usm_fail_nothing(void) {
  pthread_mutex_lock(&lock);
  int pending = fail_name[0] != 0;
  fail_name[0] = 0;
  pthread_mutex_unlock(&lock);
  return pending;
}
