// SPDX-License-Identifier: Apache-2.0
/* AdbcError: filled, queried for details, released. adbc.h specifies at AdbcError which fields may be accessed. */
#include "driver.h"

#include <string.h>

#define VENDOR_CODE 4711
#define LONG 65536

/* The message, the last field, identifies the record: the struct of 1.0.0 has no other place. Without a message,
   private_data does. */
struct error_record {
  struct record head;
  char function[48];
  uint8_t bytes[3];
  char message[];
};

static int has_details(const struct AdbcError* error) {
  return error->vendor_code == ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA;
}

static struct error_record* record_of(const struct AdbcError* error) {
  if (has_details(error) && error->private_data != NULL) return error->private_data;
  return error->message == NULL ? NULL
      : (struct error_record*)(error->message - offsetof(struct error_record, message));
}

static void clear(struct AdbcError* error) {
  error->message = NULL;
  error->release = NULL;
  if (has_details(error)) error->private_data = NULL;
}

static void release(struct AdbcError* error) {
  struct error_record* own = record_of(error);
  fault_of("error.release", NULL, 1);
  if (own == NULL) {
    tracker_violation("an error was released that holds nothing");
    return;
  }
  tracker_close(&own->head);
  clear(error);
}

/* "The caller MUST NOT release the error" (AdbcErrorFromArrayStream). */
static void release_owned(struct AdbcError* error) {
  (void)error;
  tracker_violation("the error of a stream was released, which is the stream's");
}

static struct error_record* make(const char* function, const char* message, int owned) {
  size_t size = strlen(message);
  size_t room = setting(STYLE) & STYLE_LONG && size < LONG ? LONG : size;
  struct error_record* own;
  if (owned) own = tracker_alloc(sizeof *own + room + 1);
  else own = tracker_open(sizeof *own + room + 1, ERROR);
  memcpy(own->message, message, size);
  memset(own->message + size, '.', room - size);
  if (setting(STYLE) & STYLE_NOT_UTF8 && size > 0) own->message[size / 2] = (char)0xFF;
  strncpy(own->function, function, sizeof own->function - 1);
  memcpy(own->bytes, (uint8_t[]){0x00, 0x01, 0xFF}, sizeof own->bytes);
  return own;
}

static void set(struct AdbcError* error, const char* function, const char* sqlstate, const char* message, int owned) {
  int style = setting(STYLE), room = has_details(error) && !(style & STYLE_VENDOR_CODE);
  if (!room) error->vendor_code = VENDOR_CODE;
  if (!(style & STYLE_NO_SQLSTATE)) memcpy(error->sqlstate, sqlstate, sizeof error->sqlstate);
  if (style & STYLE_FOREIGN && !owned && foreign_filler() != NULL) {
    ((void (*)(struct AdbcError*, const char*))foreign_filler())(error, message);
    return;
  }
  if (style & STYLE_NO_DETAILS) room = 0;
  if (style & STYLE_NO_MESSAGE && !room) return; /* no memory is held */
  struct error_record* own = make(function, message, owned);
  error->message = style & STYLE_NO_MESSAGE ? NULL : own->message;
  if (room) error->private_data = own;
  error->release = owned ? release_owned : release;
}

void error_set(struct AdbcError* error, const char* function, const char* sqlstate, const char* message) {
  if (error == NULL) return;
  if (error->message != NULL || error->release != NULL || (has_details(error) && error->private_data != NULL)) {
    tracker_violation("%s was given an error that is not zeroed", function);
    if (error->release != NULL) error->release(error);
    clear(error);
  }
  set(error, function, sqlstate, message, 0);
}

void error_set_owned(struct AdbcError* error, const char* function, const char* sqlstate, const char* message) {
  *error = (struct AdbcError){.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
  set(error, function, sqlstate, message, 1);
}

void error_drop_owned(struct AdbcError* error) {
  struct error_record* own = error->release == release_owned ? record_of(error) : NULL;
  clear(error);
  tracker_free(own);
}

/* "private_data … NULL if and only if the error is uninitialized" (AdbcError): some drivers follow it without a
   check. */
static const struct error_record* asked(const struct AdbcError* error, const char* function) {
  fault_of(function, NULL, 1);
  if (has_details(error) && error->private_data == NULL) {
    tracker_violation("%s was called with an error that has no private_data", function);
  }
  return has_details(error) &&
      (error->release == release || error->release == release_owned) ? error->private_data : NULL;
}

int faultyErrorGetDetailCount(const struct AdbcError* error) {
  return asked(error, "ErrorGetDetailCount") == NULL ? 0 : 2;
}

int faultyErrorGetVendorCode(const struct AdbcError* error) {
  return asked(error, "ErrorGetVendorCode") == NULL ? 0 : VENDOR_CODE;
}

struct AdbcErrorDetail faultyErrorGetDetail(const struct AdbcError* error, int index) {
  const struct error_record* own = asked(error, "ErrorGetDetail");
  size_t size = setting(STYLE) & STYLE_ODD_DETAIL ? (size_t)-1 : sizeof own->bytes;
  if (own != NULL && index == 0) {
    return (struct AdbcErrorDetail){"arbalest.function", (const uint8_t*)own->function, strlen(own->function)};
  }
  if (own != NULL && index == 1) return (struct AdbcErrorDetail){"arbalest.bytes", own->bytes, size};
  return (struct AdbcErrorDetail){NULL, NULL, 0};
}
