// SPDX-License-Identifier: Apache-2.0
/* Creation and measurement of metadata bytes. */
#include "metadata.h"

#include <stdlib.h>
#include <string.h>

#define TOO_LONG (1 << 24)

static int32_t int_at(const char* bytes) {
  int32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

int64_t metadata_length(const void* metadata) {
  const char* bytes = metadata;
  int64_t at = 4;
  if (bytes == NULL) return -1;
  int32_t pairs = int_at(bytes);
  if (pairs < 0) return -2;
  for (int64_t i = 0; i < 2 * (int64_t)pairs; i++) {
    int32_t len = int_at(bytes + at);
    if (len < 0 || at + len > TOO_LONG) return -2;
    at += 4 + len;
  }
  return at;
}

struct bytes bytes_copy(const void* data, int64_t len) {
  struct bytes copy = {NULL, 0};
  if (data == NULL || len < 0) return copy;
  copy.data = tracker_alloc(len == 0 ? 1 : (size_t)len);
  copy.len = len;
  memcpy(copy.data, data, (size_t)len);
  return copy;
}

void bytes_free(struct bytes* bytes) {
  if (bytes->data != NULL) memset(bytes->data, 0xA5, (size_t)bytes->len);
  tracker_free(bytes->data);
  bytes->data = NULL;
}

struct bytes metadata_pair(const char* key, const char* value) {
  int32_t one = 1, key_len = (int32_t)strlen(key), value_len = (int32_t)strlen(value);
  struct bytes made = {NULL, 12 + key_len + value_len};
  char* at = made.data = tracker_alloc((size_t)made.len);
  memcpy(at, &one, 4);
  memcpy(at + 4, &key_len, 4);
  memcpy(at + 8, key, (size_t)key_len);
  memcpy(at + 8 + key_len, &value_len, 4);
  memcpy(at + 12 + key_len, value, (size_t)value_len);
  return made;
}

struct bytes metadata_bad(void) {
  const int32_t count = -1;
  return bytes_copy(&count, sizeof count);
}
