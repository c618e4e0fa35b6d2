// SPDX-License-Identifier: Apache-2.0
/* Quotes as Arrow arrays. Each batch is one block of memory, the structs included. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ticker.h"

/* ---- memory, counted ---- */

static atomic_llong counts[TICKER_COUNTS];

int64_t ticker_count(int32_t which) { return which < 0 || which >= TICKER_COUNTS ? -1 : atomic_load(&counts[which]); }

void ticker_add(enum ticker_count which, int64_t n) { atomic_fetch_add(&counts[which], n); }

static size_t aligned(size_t size) { return (size + 63) / 64 * 64; }

void* ticker_alloc(size_t size) {
  void* block = aligned_alloc(64, aligned(size));
  if (block == NULL) return NULL;
  memset(block, 0, aligned(size));
  ticker_add(TICKER_LIVE, 1);
  return block;
}

void ticker_free(void* block) {
  if (block == NULL) return;
  ticker_add(TICKER_LIVE, -1);
  free(block);
}

/* ---- the random walk ---- */

/* splitmix64 */
static uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void walk_begin(struct walk* walk, int32_t symbols, int64_t seed) {
  walk->random = (uint64_t)seed;
  walk->symbols = symbols;
  for (int32_t i = 0; i < symbols; i++) walk->price[i] = (20 + 10 * i) * 64;
}

void walk_step(struct walk* walk) {
  for (int32_t i = 0; i < walk->symbols; i++) {
    int32_t moved = walk->price[i] + (int32_t)(next_random(&walk->random) % 5) - 2;
    walk->price[i] = moved < 64 ? 64 : moved;
  }
}

/* ---- the schema ---- */

enum { SYMBOL, PRICE, SIZE, TIME, COLUMNS };

static const char* const names[COLUMNS] = {"symbol", "price", "size", "time"};
static const char* const formats[COLUMNS] = {"i", "g", "i", "tsn:UTC"};

/* The structs of a schema. They are freed when all are released, because a moved struct may outlive the others. */
struct schema_block {
  atomic_int holders;
  struct ArrowSchema columns[COLUMNS], symbols;
  struct ArrowSchema* children[COLUMNS];
};

static void release_schema(struct ArrowSchema* self) {
  struct schema_block* block = self->private_data;
  for (int64_t i = 0; i < self->n_children; i++) {
    if (self->children[i]->release != NULL) self->children[i]->release(self->children[i]);
  }
  if (self->dictionary != NULL && self->dictionary->release != NULL) self->dictionary->release(self->dictionary);
  self->release = NULL;
  if (atomic_fetch_sub(&block->holders, 1) == 1) ticker_free(block);
}

static void set_schema(struct schema_block* block, struct ArrowSchema* schema, const char* format, const char* name) {
  *schema = (struct ArrowSchema){.format = format, .name = name, .release = release_schema, .private_data = block};
  atomic_fetch_add(&block->holders, 1);
}

int quotes_schema(struct ArrowSchema* out) {
  struct schema_block* block = ticker_alloc(sizeof *block);
  if (block == NULL) return ENOMEM;
  for (int i = 0; i < COLUMNS; i++) {
    set_schema(block, &block->columns[i], formats[i], names[i]);
    block->children[i] = &block->columns[i];
  }
  set_schema(block, &block->symbols, "u", "");
  block->columns[SYMBOL].dictionary = &block->symbols;
  set_schema(block, out, "+s", "");
  out->n_children = COLUMNS;
  out->children = block->children;
  return 0;
}

/* ---- a batch ---- */

/* All symbols, with four letters each. Constants need no release. */
static const char symbol_text[] =
    "ALFABRVOCHARDLTAECHOFXTRGOLFHOTLINDIJULIKILOLIMAMIKENOVMOSCRPAPAQUBCROMOSIERTNGOUNIFVICTWHSKXRAYYNKEZULU";
static const int32_t symbol_offsets[TICKER_MOST_SYMBOLS + 1] = {0,  4,  8,  12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52,
                                                                56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104};

/* The structs of a batch, followed by the data of its columns. They are freed when all are released. */
struct batch_block {
  atomic_int holders;
  struct ArrowArray columns[COLUMNS], symbols;
  struct ArrowArray* children[COLUMNS];
  const void* none[1];
  const void* data[COLUMNS][2]; /* validity, which is NULL because no value is null; values */
  const void* text[3];          /* validity, offsets, bytes */
};

static void release_array(struct ArrowArray* self) {
  struct batch_block* block = self->private_data;
  for (int64_t i = 0; i < self->n_children; i++) {
    if (self->children[i]->release != NULL) self->children[i]->release(self->children[i]);
  }
  if (self->dictionary != NULL && self->dictionary->release != NULL) self->dictionary->release(self->dictionary);
  self->release = NULL;
  if (atomic_fetch_sub(&block->holders, 1) == 1) ticker_free(block);
}

static void set_array(struct batch_block* block, struct ArrowArray* array, int64_t length, int64_t n, const void** buffers) {
  *array = (struct ArrowArray){
      .length = length, .n_buffers = n, .buffers = buffers, .release = release_array, .private_data = block};
  atomic_fetch_add(&block->holders, 1);
}

int quotes_batch(const struct walk* walk, int32_t rows, int64_t time, struct ArrowDeviceArray* out) {
  static const size_t widths[COLUMNS] = {sizeof(int32_t), sizeof(double), sizeof(int32_t), sizeof(int64_t)};
  size_t at[COLUMNS], size = aligned(sizeof(struct batch_block));
  for (int i = 0; i < COLUMNS; i++) {
    at[i] = size;
    size += aligned(widths[i] * (size_t)rows);
  }
  struct batch_block* block = ticker_alloc(size);
  if (block == NULL) return ENOMEM;

  int32_t* symbol = (int32_t*)((char*)block + at[SYMBOL]);
  double* price = (double*)((char*)block + at[PRICE]);
  int32_t* quantity = (int32_t*)((char*)block + at[SIZE]);
  int64_t* when = (int64_t*)((char*)block + at[TIME]);
  uint64_t state = walk->random;
  for (int32_t row = 0; row < rows; row++) {
    uint64_t random = next_random(&state);
    symbol[row] = (int32_t)(random % (uint64_t)walk->symbols);
    price[row] = (walk->price[symbol[row]] + (int32_t)(random >> 32 & 31) - 16) / 64.0;
    quantity[row] = 1 + (int32_t)((random >> 48) % 1000);
    when[row] = time + row;
  }

  for (int i = 0; i < COLUMNS; i++) {
    block->data[i][1] = (char*)block + at[i];
    set_array(block, &block->columns[i], rows, 2, block->data[i]);
    block->children[i] = &block->columns[i];
  }
  block->text[1] = symbol_offsets;
  block->text[2] = symbol_text;
  set_array(block, &block->symbols, walk->symbols, 3, block->text);
  block->columns[SYMBOL].dictionary = &block->symbols;

  memset(out, 0, sizeof *out);
  set_array(block, &out->array, rows, 1, block->none);
  out->array.n_children = COLUMNS;
  out->array.children = block->children;
  out->device_type = ARROW_DEVICE_CPU;
  out->device_id = -1;
  return 0;
}
