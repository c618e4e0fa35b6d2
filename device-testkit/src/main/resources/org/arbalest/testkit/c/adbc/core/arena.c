// SPDX-License-Identifier: Apache-2.0
/* Memory that is given back all at once. */
#include "arena.h"

#include <string.h>

#include "peer/ledger.h"

#define BLOCK 4096

struct arena_block {
  struct arena_block* next;
  size_t size, used;
  _Alignas(16) char bytes[];
};

void* arena_take(struct arena* arena, size_t size) {
  struct arena_block* block = arena->blocks;
  size = (size + 15) & ~(size_t)15;
  if (block == NULL || block->size - block->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    block = ledger_alloc(sizeof *block + room);
    block->size = room;
    block->next = arena->blocks;
    arena->blocks = block;
  }
  block->used += size;
  return block->bytes + block->used - size;
}

char* arena_copy(struct arena* arena, const void* bytes, size_t size) {
  char* copy = arena_take(arena, size + 1);
  if (size > 0) memcpy(copy, bytes, size);
  return copy;
}

char* arena_text(struct arena* arena, const char* text) { return text == NULL ? NULL : arena_copy(arena, text, strlen(text)); }

void arena_free(struct arena* arena) {
  while (arena->blocks != NULL) {
    struct arena_block* next = arena->blocks->next;
    ledger_free(arena->blocks);
    arena->blocks = next;
  }
}
