// SPDX-License-Identifier: Apache-2.0
/* Options of a handle. */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "adbc.h"
#include "peer/ledger.h"

struct option_entry {
  struct option_entry* next;
  struct option value;
  char* key;
  struct arena arena;
};

struct option option_text(const char* text) {
  if (text == NULL) return (struct option){.kind = OPTION_NONE};
  return (struct option){.kind = OPTION_TEXT, .text = text, .size = strlen(text)};
}

void options_init(struct options* options) { pthread_mutex_init(&options->lock, NULL); }

void options_free(struct options* options) {
  while (options->entries != NULL) {
    struct option_entry* next = options->entries->next;
    arena_free(&options->entries->arena);
    ledger_free(options->entries);
    options->entries = next;
  }
}

static struct option_entry* find(struct options* options, const char* key) {
  struct option_entry* entry = options->entries;
  while (entry != NULL && strcmp(entry->key, key) != 0) entry = entry->next;
  return entry;
}

void options_put(struct options* options, const char* key, struct option value) {
  pthread_mutex_lock(&options->lock);
  struct option_entry* entry = find(options, key);
  if (entry == NULL) {
    entry = ledger_alloc(sizeof *entry);
    entry->next = options->entries;
    options->entries = entry;
  }
  struct arena old = entry->arena;
  entry->arena = (struct arena){NULL};
  entry->key = arena_text(&entry->arena, key);
  entry->value = value;
  if (value.text != NULL) entry->value.text = arena_copy(&entry->arena, value.text, value.size);
  arena_free(&old);
  pthread_mutex_unlock(&options->lock);
}

struct option option_as(struct option value, enum option_kind kind, struct arena* arena) {
  char text[64];
  if (value.kind == kind) {
    if (value.text != NULL) value.text = arena_copy(arena, value.text, value.size);
    return value;
  }
  if (kind == OPTION_TEXT && value.kind == OPTION_INT) snprintf(text, sizeof text, "%lld", (long long)value.integer);
  else if (kind == OPTION_TEXT && value.kind == OPTION_DOUBLE) snprintf(text, sizeof text, "%.17g", value.number);
  else return (struct option){OPTION_NONE, NULL, 0, 0, 0};
  return option_text(arena_text(arena, text));
}

struct option options_get(struct options* options, const char* key, enum option_kind kind, struct arena* arena) {
  pthread_mutex_lock(&options->lock);
  struct option_entry* entry = find(options, key);
  struct option value = entry == NULL ? (struct option){OPTION_NONE, NULL, 0, 0, 0} : option_as(entry->value, kind, arena);
  pthread_mutex_unlock(&options->lock);
  return value;
}

int option_flag(struct option value) {
  if (value.kind != OPTION_TEXT) return -1;
  if (strcmp(value.text, ADBC_OPTION_VALUE_ENABLED) == 0) return 1;
  return strcmp(value.text, ADBC_OPTION_VALUE_DISABLED) == 0 ? 0 : -1;
}
