// SPDX-License-Identifier: Apache-2.0
/* Shared memory behind device memory and events: an unnamed file, which another process opens through /proc. It
   disappears when all processes have ended. */
#define _GNU_SOURCE
#include "ipc.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x41524249U
#define PAGE 4096
#define MOST_OPENERS 64

enum { MEMORY = 1, WORDS = 2, CREATED = 3, POOL = 4, POOLED = 5 };

/* The block before the shared memory. */
struct control {
  int freed;
  int openers[MOST_OPENERS]; /* the processes that have it open; 0 for none */
  int64_t words[EVENT_WORDS];
};

/* The contents of a handle. */
struct token {
  unsigned magic;
  int what;
  int process;
  int file;
  int physical;
  uint64_t inode; /* a file number is reused, this is not */
  uint64_t size;
  uint64_t pool;
};
_Static_assert(sizeof(struct token) <= sizeof(ipc_handle), "a handle has 64 bytes");

/* The memory that this process has made or opened, by the address of its control block. */
struct shared {
  struct control* control;
  size_t size; /* after the control block */
  int file;    /* -1 if it was opened */
  uint64_t inode;
  uint64_t base;
  uint64_t pool; /* the number of the memory's pool in the process that created it; 0 outside of pools */
  int imports;
  struct shared* next;
};

static struct shared* all;

static struct shared* find(struct control* control) {
  for (struct shared* shared = all; shared != NULL; shared = shared->next) {
    if (shared->control == control) return shared;
  }
  return NULL;
}

/* Uses statx: glibc 2.28, the oldest for a bundle, has no function fstat yet. */
static int look(int file, struct statx* status) {
  return statx(file, "", AT_EMPTY_PATH, STATX_INO | STATX_SIZE, status) == 0;
}

/* NULL if there is no file, or no memory. */
static struct shared* map(int file, size_t size, int is_own) {
  struct statx status;
  void* mapped = look(file, &status) ? mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  struct shared* shared = mapped == MAP_FAILED ? NULL : malloc(sizeof(struct shared));
  if (shared == NULL) return NULL;
  *shared = (struct shared){.control = mapped, .size = size, .file = is_own ? file : -1, .inode = status.stx_ino};
  gpu_lock();
  shared->next = all;
  all = shared;
  gpu_unlock();
  return shared;
}

static struct shared* make(size_t size) {
  int file = memfd_create("arbalest-double", MFD_CLOEXEC);
  if (file < 0) return NULL;
  struct shared* shared = ftruncate(file, (off_t)(PAGE + size)) == 0 ? map(file, size, 1) : NULL;
  if (shared == NULL) close(file);
  return shared;
}

static void forget(struct shared* shared) {
  for (struct shared** at = &all; *at != NULL; at = &(*at)->next) {
    if (*at != shared) continue;
    *at = shared->next;
    break;
  }
  munmap(shared->control, PAGE + shared->size);
  if (shared->file >= 0) close(shared->file);
  free(shared);
}

/* A killed process is a zombie until its parent waits for it. */
static int is_alive(int process) {
  char path[64], state = 'X';
  snprintf(path, sizeof(path), "/proc/%d/stat", process);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
  fclose(file);
  return state != 'Z' && state != 'X';
}

/* Returns whether a process is ending, but not gone yet: it has received SIGKILL, as each of its threads does when it
   exits, or it is exiting (PF_EXITING). */
static int is_ending(int process) {
  char path[64], line[256];
  unsigned flags = 0;
  unsigned long long pending = 0, bits;
  snprintf(path, sizeof(path), "/proc/%d/stat", process);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 1;
  int is_read = fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %u", &flags) == 1;
  fclose(file);
  snprintf(path, sizeof(path), "/proc/%d/status", process);
  file = fopen(path, "r");
  if (file == NULL) return 1;
  while (fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "SigPnd: %llx", &bits) == 1 || sscanf(line, "ShdPnd: %llx", &bits) == 1) pending |= bits;
  }
  fclose(file);
  return (is_read && (flags & 4U)) || (pending >> (SIGKILL - 1) & 1U);
}

/* A process that was just killed may still be ending; it gets 2 s: its sockets can be closed before it is gone. A
   process that lives on gets 50 ms, the time to distinguish the two. */
static int opener(struct control* control) {
  struct timespec moment = {0, 1000000};
  int has_lived = 0;
  for (int patience = 0; patience < 2000; patience++) {
    int alive = 0;
    int ending = 1;
    for (int i = 0; i < MOST_OPENERS; i++) {
      int process = __atomic_load_n(&control->openers[i], __ATOMIC_ACQUIRE);
      if (process == 0 || !is_alive(process)) continue;
      alive = process;
      ending &= is_ending(process);
    }
    if (alive == 0) return 0;
    if (!ending && ++has_lived == 50) return alive;
    if (patience == 1999) return alive;
    nanosleep(&moment, NULL);
  }
  return 0;
}

/* Locked, like all releases. */
static void give_memory(void* bytes, size_t size) {
  struct shared* shared = find((struct control*)((char*)bytes - PAGE));
  int process = opener(shared->control);
  if (process != 0) gpu_violation("%zu bytes were freed that process %d has open", size, process);
  __atomic_store_n(&shared->control->freed, 1, __ATOMIC_RELEASE);
  forget(shared);
}

static void leave(void* bytes, size_t size) {
  (void)size;
  struct shared* shared = find((struct control*)((char*)bytes - PAGE));
  for (int i = 0; i < MOST_OPENERS; i++) {
    int expected = getpid();
    if (__atomic_compare_exchange_n(&shared->control->openers[i], &expected, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) break;
  }
  forget(shared);
}

static void give_words(void* words, size_t size) {
  (void)size;
  struct shared* shared = find((struct control*)((char*)words - offsetof(struct control, words)));
  if (shared->file >= 0) __atomic_store_n(&shared->control->words[EVENT_GONE], 1, __ATOMIC_RELEASE);
  forget(shared);
}

int ipc_allocate(gpu_device* device, size_t size, uint64_t* address) {
  int code = gpu_allocate(device, GPU_DEVICE, size, address);
  if (code != GPU_OK) return code;
  struct shared* shared = make(size);
  if (shared == NULL) abort();
  shared->base = *address;
  gpu_replace(*address, (char*)shared->control + PAGE, give_memory);
  return GPU_OK;
}

static struct shared* exportable(uint64_t base) {
  for (struct shared* shared = all; shared != NULL; shared = shared->next) {
    if (shared->file >= 0 && shared->base == base && shared->pool == 0) return shared;
  }
  return NULL;
}

int ipc_is_exportable(uint64_t address) {
  uint64_t base;
  size_t size;
  gpu_device* device;
  if (!gpu_range(address, &base, &size, &device)) return 0;
  gpu_lock();
  int is = exportable(base) != NULL;
  gpu_unlock();
  return is;
}

static void write_token(const struct shared* shared, int what, int physical, ipc_handle* handle) {
  struct token token = {MAGIC, what, getpid(), shared->file, physical, shared->inode, shared->size, shared->pool};
  memset(handle, 0, sizeof(ipc_handle));
  memcpy(handle, &token, sizeof(token));
}

/* cuda.h: "takes a pointer to the base of an existing device memory allocation created with cuMemAlloc". */
int ipc_export(uint64_t base, ipc_handle* handle) {
  uint64_t start;
  size_t size;
  gpu_device* device;
  if (!gpu_range(base, &start, &size, &device) || start != base) return GPU_INVALID_VALUE;
  gpu_lock();
  struct shared* shared = exportable(base);
  if (shared != NULL) write_token(shared, MEMORY, gpu_physical(gpu_ordinal(device)), handle);
  gpu_unlock();
  return shared != NULL ? GPU_OK : GPU_INVALID_VALUE;
}

/* Maps the memory of a handle here. */
static int open_token(const ipc_handle* handle, int what, struct token* token, struct shared** out) {
  memcpy(token, handle, sizeof(struct token));
  if (token->magic != MAGIC || token->what != what) return GPU_INVALID_VALUE;
  if (token->process == getpid()) return GPU_NO_CONTEXT;
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", token->process, token->file);
  struct statx status;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return GPU_MAP_FAILED;
  int is_there = look(file, &status) && status.stx_ino == token->inode && status.stx_size == PAGE + token->size;
  *out = is_there ? map(file, token->size, 0) : NULL;
  close(file);
  if (*out == NULL) return GPU_MAP_FAILED;
  if (what != CREATED && what != WORDS && __atomic_load_n(&(*out)->control->freed, __ATOMIC_ACQUIRE)) {
    gpu_lock();
    forget(*out);
    gpu_unlock();
    return GPU_MAP_FAILED;
  }
  return GPU_OK;
}

static int is_open(uint64_t inode) {
  gpu_lock();
  int found = 0;
  for (struct shared* shared = all; shared != NULL; shared = shared->next) found |= shared->file < 0 && shared->inode == inode;
  gpu_unlock();
  return found;
}

/* The number of a GPU of the machine in this process, or -1. */
static int visible(int physical) {
  for (int i = 0; i < gpu_count(); i++) {
    if (gpu_physical(i) == physical) return i;
  }
  return -1;
}

/* From a context of another device only if that has access to the memory's device. */
static int open_as(gpu_device* device, const ipc_handle* handle, int what, uint64_t* base) {
  struct token token;
  struct shared* shared;
  memcpy(&token, handle, sizeof(token));
  if (token.magic == MAGIC && is_open(token.inode)) return GPU_ALREADY_MAPPED;
  int owner = visible(token.physical);
  if (token.magic == MAGIC && owner != gpu_ordinal(device) && (owner < 0 || !gpu_can_reach(device, gpu_at(owner)))) return GPU_NO_PEER_ACCESS;
  int code = open_token(handle, what, &token, &shared);
  if (code != GPU_OK) return code;
  for (int i = 0; i < MOST_OPENERS; i++) {
    int expected = 0;
    if (__atomic_compare_exchange_n(&shared->control->openers[i], &expected, getpid(), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) break;
  }
  shared->pool = token.pool;
  *base = shared->base = gpu_attach(device, (char*)shared->control + PAGE, shared->size, leave);
  return GPU_OK;
}

int ipc_open(gpu_device* device, const ipc_handle* handle, uint64_t* base) { return open_as(device, handle, MEMORY, base); }

int ipc_close(uint64_t base) { return gpu_detach(base); }

int ipc_allocate_pooled(gpu_device* device, size_t size, uint64_t pool, uint64_t* address) {
  int code = ipc_allocate(device, size, address);
  if (code != GPU_OK) return code;
  gpu_lock();
  exportable(*address)->pool = pool;
  gpu_unlock();
  return GPU_OK;
}

/* Locked. */
static struct shared* pooled(uint64_t base, int is_own) {
  for (struct shared* shared = all; shared != NULL; shared = shared->next) {
    if (shared->pool != 0 && shared->base == base && (shared->file >= 0) == is_own) return shared;
  }
  return NULL;
}

void ipc_export_pool(uint64_t pool, int ordinal, ipc_handle* handle) {
  struct token token = {MAGIC, POOL, getpid(), 0, gpu_physical(ordinal), 0, 0, pool};
  memset(handle, 0, sizeof(ipc_handle));
  memcpy(handle, &token, sizeof(token));
}

int ipc_import_pool(const ipc_handle* handle, uint64_t* pool, int* process, int* ordinal) {
  struct token token;
  memcpy(&token, handle, sizeof(token));
  if (token.magic != MAGIC || token.what != POOL || token.process == getpid() || !is_alive(token.process)) return GPU_INVALID_VALUE;
  *pool = token.pool;
  *process = token.process;
  *ordinal = visible(token.physical);
  return *ordinal < 0 ? GPU_NOT_SUPPORTED : GPU_OK;
}

int ipc_export_pooled(uint64_t base, ipc_handle* handle) {
  uint64_t start;
  size_t size;
  gpu_device* device;
  if (!gpu_range(base, &start, &size, &device) || start != base) return GPU_INVALID_VALUE;
  gpu_lock();
  struct shared* shared = pooled(base, 1);
  if (shared != NULL) write_token(shared, POOLED, gpu_physical(gpu_ordinal(device)), handle);
  gpu_unlock();
  return shared != NULL ? GPU_OK : GPU_INVALID_VALUE;
}

static int counts_imports;

/* Sets whether the driver counts the imports of an allocation, as the documentation of other handles says; see ipc.h. */
DOUBLE void double_count_imports(int counts) { counts_imports = counts; }

/* Imports an allocation a second time. Locked. */
static int import_again(uint64_t inode, uint64_t* base) {
  for (struct shared* shared = all; shared != NULL; shared = shared->next) {
    if (shared->file >= 0 || shared->pool == 0 || shared->inode != inode) continue;
    shared->imports++;
    *base = shared->base;
    return 1;
  }
  return 0;
}

int ipc_open_pooled(gpu_device* device, const ipc_handle* handle, uint64_t pool, int process, uint64_t* base) {
  struct token token;
  memcpy(&token, handle, sizeof(token));
  if (token.magic != MAGIC || token.what != POOLED || token.pool != pool || token.process != process) return GPU_INVALID_VALUE;
  gpu_lock();
  int is_again = import_again(token.inode, base);
  gpu_unlock();
  if (is_again) return GPU_OK;
  int code = open_as(device, handle, POOLED, base);
  return code == GPU_MAP_FAILED ? GPU_INVALID_VALUE : code;
}

int ipc_is_pooled_open(uint64_t base) {
  gpu_lock();
  int is = pooled(base, 0) != NULL;
  gpu_unlock();
  return is;
}

int ipc_close_pooled(uint64_t base) {
  gpu_lock();
  struct shared* shared = pooled(base, 0);
  int is_last = shared != NULL && (!counts_imports || shared->imports-- == 0);
  gpu_unlock();
  return is_last ? ipc_close(base) : GPU_OK;
}

static struct shared* behind(void* bytes) { return find((struct control*)((char*)bytes - PAGE)); }

void* ipc_create(size_t size) {
  struct shared* shared = make(size);
  if (shared == NULL) return NULL;
  memset((char*)shared->control + PAGE, 0xA5, size);
  return (char*)shared->control + PAGE;
}

void ipc_drop(void* bytes) { forget(behind(bytes)); }

void ipc_describe(void* bytes, int ordinal, ipc_handle* handle) { write_token(behind(bytes), CREATED, gpu_physical(ordinal), handle); }

/* A process cannot import memory of a device that it does not see. */
int ipc_import(const ipc_handle* handle, void** bytes, size_t* size, int* ordinal) {
  struct token token;
  struct shared* shared;
  memcpy(&token, handle, sizeof(token));
  if (token.magic != MAGIC) return GPU_INVALID_VALUE;
  *ordinal = visible(token.physical);
  if (*ordinal < 0) return GPU_NOT_SUPPORTED;
  int code = open_token(handle, CREATED, &token, &shared);
  if (code != GPU_OK) return GPU_INVALID_VALUE;
  *bytes = (char*)shared->control + PAGE;
  *size = shared->size;
  return GPU_OK;
}

int ipc_event_create(gpu_device* device, gpu_event** event) {
  int code = gpu_event_create(device, event);
  if (code != GPU_OK) return code;
  struct shared* shared = make(0);
  if (shared == NULL) abort();
  gpu_event_move(*event, shared->control->words, give_words);
  return GPU_OK;
}

int ipc_event_export(gpu_event* event, ipc_handle* handle) {
  int64_t* words = gpu_event_words(event);
  if (words == NULL) return GPU_INVALID_VALUE;
  gpu_lock();
  struct shared* shared = find((struct control*)((char*)words - offsetof(struct control, words)));
  int is_own = shared != NULL && shared->file >= 0;
  if (is_own) write_token(shared, WORDS, 0, handle);
  gpu_unlock();
  return is_own ? GPU_OK : GPU_INVALID_VALUE;
}

int ipc_event_open(gpu_device* device, const ipc_handle* handle, gpu_event** event) {
  struct token token;
  struct shared* shared;
  int code = open_token(handle, WORDS, &token, &shared);
  if (code != GPU_OK) return code;
  code = gpu_event_create(device, event);
  if (code == GPU_OK) gpu_event_move(*event, shared->control->words, give_words);
  return code;
}

void ipc_uuid(int ordinal, unsigned char uuid[16]) {
  memcpy(uuid, "arbalest-double-", 16);
  uuid[15] = (unsigned char)(0xA0 + gpu_physical(ordinal));
}

void ipc_bus_id(int ordinal, const char* format, char* text, int size) { snprintf(text, (size_t)size, format, 0, 0x3B + gpu_physical(ordinal), 0, 0); }
