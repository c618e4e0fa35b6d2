// SPDX-License-Identifier: Apache-2.0
/* What is the same for the options of all handles. */
#include "accessors.h"

AdbcStatusCode option_unknown(struct call* call, const char* key) { return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "there is no option %s", key); }

AdbcStatusCode option_odd(struct call* call, const char* key, struct option value) {
  const char* text = value.kind == OPTION_TEXT ? value.text : "what it was given";
  return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "22023", "option %s cannot be %s", key, text);
}

int option_store(struct handle* handle, const char* key, struct option value) {
  if (strncmp(key, "double.user.", 12) != 0) return 0;
  options_put(&handle->options, key, value);
  return 1;
}

static AdbcStatusCode missing(struct call* call, const char* key) {
  return call_fail(call, ADBC_STATUS_NOT_FOUND, "02000", "there is no option %s of that type", key);
}

/* "If the buffer is too small, no data will be written and length will be set to the required length." */
static AdbcStatusCode out(const char* bytes, size_t needed, void* to, size_t* size) {
  if (needed <= *size && needed > 0) memcpy(to, bytes, needed);
  *size = needed;
  return ADBC_STATUS_OK;
}

AdbcStatusCode option_out_text(struct call* call, const char* key, struct option value, char* to, size_t* size) {
  return value.kind == OPTION_NONE ? missing(call, key) : out(value.text, value.size + 1, to, size);
}

AdbcStatusCode option_out_bytes(struct call* call, const char* key, struct option value, uint8_t* to, size_t* size) {
  return value.kind == OPTION_NONE ? missing(call, key) : out(value.text, value.size, to, size);
}

AdbcStatusCode option_out_int(struct call* call, const char* key, struct option value, int64_t* to) {
  if (value.kind == OPTION_NONE) return missing(call, key);
  *to = value.integer;
  return ADBC_STATUS_OK;
}

AdbcStatusCode option_out_double(struct call* call, const char* key, struct option value, double* to) {
  if (value.kind == OPTION_NONE) return missing(call, key);
  *to = value.number;
  return ADBC_STATUS_OK;
}
