// SPDX-License-Identifier: Apache-2.0
/* AdbcError: filled, asked for details, released. What may be touched of it is what adbc.h says at AdbcError. */
#include "errors.h"

#include <string.h>

#include "knobs.h"

#define LONG 65536

/* Found again by the message, which stands in it: the struct of 1.0.0 has no other place. Without a message there must be private_data, or there is nothing. */
struct error_record {
  struct record head;
  int owned; /* by a stream */
  char function[48];
  uint8_t bytes[3];
  char message[];
};

static int has_details(const struct AdbcError* error) { return error->vendor_code == ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA; }

static struct error_record* record_of(const struct AdbcError* error) {
  if (has_details(error) && error->private_data != NULL) return error->private_data;
  return error->message == NULL ? NULL : (struct error_record*)(error->message - offsetof(struct error_record, message));
}

static void clear(struct AdbcError* error) {
  error->message = NULL;
  error->release = NULL;
  if (has_details(error)) error->private_data = NULL;
}

static void release(struct AdbcError* error) {
  struct error_record* own = record_of(error);
  knob_call("error.release", NULL, 1);
  if (own == NULL) {
    ledger_violation("an error was released that holds nothing");
    return;
  }
  ledger_close(&own->head);
  clear(error);
}

/* "The caller MUST NOT release the error" (AdbcErrorFromArrayStream). */
static void release_owned(struct AdbcError* error) {
  (void)error;
  ledger_violation("the error of a stream was released, which is the stream's");
}

static struct error_record* make(const char* function, const char* message, int owned) {
  size_t size = strlen(message);
  size_t room = knob_style() & STYLE_LONG && size < LONG ? LONG : size;
  struct error_record* own;
  if (owned) own = ledger_alloc(sizeof *own + room + 1);
  else own = ledger_open(sizeof *own + room + 1, LEDGER_ERROR);
  own->owned = owned;
  memcpy(own->message, message, size);
  memset(own->message + size, '.', room - size);
  if (knob_style() & STYLE_NOT_UTF8 && size > 0) own->message[size / 2] = (char)0xFF;
  strncpy(own->function, function, sizeof own->function - 1);
  memcpy(own->bytes, (uint8_t[]){0x00, 0x01, 0xFF}, sizeof own->bytes);
  return own;
}

static void set(struct AdbcError* error, const char* function, const char* sqlstate, const char* message, int owned) {
  int style = knob_style(), room = has_details(error);
  if (style & STYLE_VENDOR_CODE) room = 0;
  if (!room) error->vendor_code = DOUBLE_VENDOR_CODE;
  if (!(style & STYLE_NO_SQLSTATE)) memcpy(error->sqlstate, sqlstate, sizeof error->sqlstate);
  if (style & STYLE_FOREIGN && !owned && knob_foreign() != NULL) {
    ((void (*)(struct AdbcError*, const char*))knob_foreign())(error, message);
    return;
  }
  if (style & STYLE_NO_DETAILS) room = 0;
  if (style & STYLE_NO_MESSAGE && !room) return; /* nothing is held */
  struct error_record* own = make(function, message, owned);
  error->message = style & STYLE_NO_MESSAGE ? NULL : own->message;
  if (room) error->private_data = own;
  error->release = owned ? release_owned : release;
}

void error_set(struct AdbcError* error, const char* function, const char* sqlstate, const char* message) {
  if (error == NULL) return;
  if (error->message != NULL || error->release != NULL || (has_details(error) && error->private_data != NULL)) {
    ledger_violation("%s was given an error that is not zeroed", function);
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
  ledger_free(own);
}

/* ---- AdbcErrorGetDetailCount, AdbcErrorGetDetail: 0 and NULLs where there is nothing of ours ---- */

/* "private_data … NULL if and only if the error is uninitialized" (AdbcError): there are drivers that follow it unseen. */
static int may_be_asked(const struct AdbcError* error, const char* function) {
  if (has_details(error) && error->private_data == NULL) ledger_violation("%s was called with an error that has no private_data", function);
  return has_details(error) && error->private_data != NULL;
}

int error_detail_count(const struct AdbcError* error) {
  knob_call("ErrorGetDetailCount", NULL, 1);
  if (!may_be_asked(error, "ErrorGetDetailCount")) return 0;
  return error->release == release || error->release == release_owned ? 2 : 0;
}

struct AdbcErrorDetail error_detail(const struct AdbcError* error, int index) {
  knob_call("ErrorGetDetail", NULL, 1);
  struct AdbcErrorDetail none = {NULL, NULL, 0};
  if (!may_be_asked(error, "ErrorGetDetail")) return none;
  if (error->release != release && error->release != release_owned) return none;
  const struct error_record* own = error->private_data;
  if (index == 0) return (struct AdbcErrorDetail){"arbalest.function", (const uint8_t*)own->function, strlen(own->function)};
  if (index == 1) return (struct AdbcErrorDetail){"arbalest.bytes", own->bytes, knob_style() & STYLE_ODD_DETAIL ? (size_t)-1 : sizeof own->bytes};
  return none;
}
