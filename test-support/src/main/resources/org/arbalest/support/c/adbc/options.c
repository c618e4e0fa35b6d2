// SPDX-License-Identifier: Apache-2.0
/* The options that a handle keeps. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

static char* copy(const char* bytes, size_t size) {
  char* made = tracker_alloc(size + 1);
  if (size > 0) memcpy(made, bytes, size);
  return made;
}

static struct option* find(struct handle* handle, const char* key) {
  struct option* option = handle->options;
  while (option != NULL && strcmp(option->key, key) != 0) option = option->next;
  return option;
}

void option_put(struct handle* handle, const char* key, struct option value) {
  state_lock();
  struct option* option = find(handle, key);
  if (option == NULL) {
    option = tracker_alloc(sizeof *option);
    option->key = copy(key, strlen(key));
    option->next = handle->options;
    handle->options = option;
  }
  char* before = option->bytes;
  value.next = option->next;
  value.key = option->key;
  if (value.bytes != NULL) value.bytes = copy(value.bytes, value.size);
  *option = value;
  tracker_free(before);
  state_unlock();
}

void option_put_text(struct handle* handle, const char* key, const char* text) {
  option_put(handle, key, (struct option){.kind = TEXT, .bytes = (char*)text, .size = strlen(text)});
}

struct option option_get(struct handle* handle, const char* key, enum option_kind kind) {
  struct option value = {.kind = NONE};
  char text[64];
  state_lock();
  struct option* option = find(handle, key);
  if (option != NULL && option->kind == kind) {
    value = *option;
    if (value.bytes != NULL) value.bytes = copy(value.bytes, value.size);
  } else if (option != NULL && kind == TEXT && option->kind != BYTES) {
    if (option->kind == INTEGER) snprintf(text, sizeof text, "%lld", (long long)option->integer);
    else snprintf(text, sizeof text, "%.17g", option->number);
    value = (struct option){.kind = TEXT, .bytes = copy(text, strlen(text)), .size = strlen(text)};
  }
  state_unlock();
  return value;
}

int option_is(struct handle* handle, const char* key, const char* text) {
  struct option value = option_get(handle, key, TEXT);
  int is = value.kind == TEXT && strcmp(value.bytes, text) == 0;
  tracker_free(value.bytes);
  return is;
}

void options_free(struct handle* handle) {
  while (handle->options != NULL) {
    struct option* next = handle->options->next;
    tracker_free(handle->options->key);
    tracker_free(handle->options->bytes);
    tracker_free(handle->options);
    handle->options = next;
  }
}
