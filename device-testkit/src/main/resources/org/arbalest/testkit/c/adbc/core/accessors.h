/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The eight functions for options that each kind of handle has, made of what the handle does with an option: X_set(call, handle, key, value), X_get(call,
 * handle, key, kind, arena). Sets are NOT_IMPLEMENTED, gets NOT_FOUND for a key that is not known (adbc.h at each of them).
 *
 * Included by: accessors.c adbc/connection.c adbc/database.c adbc/statement.c
 */
#ifndef ARBALEST_ADBC_ACCESSORS_H
#define ARBALEST_ADBC_ACCESSORS_H

#include <string.h>

#include "handles.h"

#pragma GCC visibility push(hidden)

AdbcStatusCode option_unknown(struct call* call, const char* key);
AdbcStatusCode option_odd(struct call* call, const char* key, struct option value); /* a value that it cannot have */
/* Stores what begins with double.user., whatever it is; 0 if it is another. */
int option_store(struct handle* handle, const char* key, struct option value);

AdbcStatusCode option_out_text(struct call* call, const char* key, struct option value, char* out, size_t* size);
AdbcStatusCode option_out_bytes(struct call* call, const char* key, struct option value, uint8_t* out, size_t* size);
AdbcStatusCode option_out_int(struct call* call, const char* key, struct option value, int64_t* out);
AdbcStatusCode option_out_double(struct call* call, const char* key, struct option value, double* out);

#define ACCESSORS(Kind, Handle, handle)                                                                                                               \
  AdbcStatusCode handle##_set_option(struct Handle* it, const char* key, const char* value, struct AdbcError* error) {                                \
    struct call call;                                                                                                                                 \
    if (!call_##handle(&call, Kind "SetOption", CALL_EARLY, it, error)) return call.status;                                                           \
    return call_end(&call, set(&call, it->private_data, key, option_text(value)));                                                                    \
  }                                                                                                                                                   \
  AdbcStatusCode handle##_set_option_bytes(struct Handle* it, const char* key, const uint8_t* value, size_t size, struct AdbcError* error) {          \
    struct call call;                                                                                                                                 \
    if (!call_##handle(&call, Kind "SetOptionBytes", CALL_EARLY, it, error)) return call.status;                                                      \
    return call_end(&call, set(&call, it->private_data, key, (struct option){OPTION_BYTES, (const char*)value, size, 0, 0}));                         \
  }                                                                                                                                                   \
  AdbcStatusCode handle##_set_option_int(struct Handle* it, const char* key, int64_t value, struct AdbcError* error) {                                \
    struct call call;                                                                                                                                 \
    if (!call_##handle(&call, Kind "SetOptionInt", CALL_EARLY, it, error)) return call.status;                                                        \
    return call_end(&call, set(&call, it->private_data, key, (struct option){OPTION_INT, NULL, 0, value, 0}));                                        \
  }                                                                                                                                                   \
  AdbcStatusCode handle##_set_option_double(struct Handle* it, const char* key, double value, struct AdbcError* error) {                              \
    struct call call;                                                                                                                                 \
    if (!call_##handle(&call, Kind "SetOptionDouble", CALL_EARLY, it, error)) return call.status;                                                     \
    return call_end(&call, set(&call, it->private_data, key, (struct option){OPTION_DOUBLE, NULL, 0, 0, value}));                                     \
  }                                                                                                                                                   \
  AdbcStatusCode handle##_get_option(struct Handle* it, const char* key, char* value, size_t* size, struct AdbcError* error) {                        \
    struct call call;                                                                                                                                 \
    struct arena arena = {NULL};                                                                                                                      \
    if (!call_##handle(&call, Kind "GetOption", CALL_EARLY | CALL_SHARED, it, error)) return call.status;                                             \
    AdbcStatusCode status = option_out_text(&call, key, get(it->private_data, key, OPTION_TEXT, &arena), value, size);                                \
    arena_free(&arena);                                                                                                                               \
    return call_end(&call, status);                                                                                                                   \
  }                                                                                                                                                   \
  AdbcStatusCode handle##_get_option_bytes(struct Handle* it, const char* key, uint8_t* value, size_t* size, struct AdbcError* error) {               \
    struct call call;                                                                                                                                 \
    struct arena arena = {NULL};                                                                                                                      \
    if (!call_##handle(&call, Kind "GetOptionBytes", CALL_EARLY | CALL_SHARED, it, error)) return call.status;                                        \
    AdbcStatusCode status = option_out_bytes(&call, key, get(it->private_data, key, OPTION_BYTES, &arena), value, size);                              \
    arena_free(&arena);                                                                                                                               \
    return call_end(&call, status);                                                                                                                   \
  }                                                                                                                                                   \
  AdbcStatusCode handle##_get_option_int(struct Handle* it, const char* key, int64_t* value, struct AdbcError* error) {                               \
    struct call call;                                                                                                                                 \
    struct arena arena = {NULL};                                                                                                                      \
    if (!call_##handle(&call, Kind "GetOptionInt", CALL_EARLY | CALL_SHARED, it, error)) return call.status;                                          \
    AdbcStatusCode status = option_out_int(&call, key, get(it->private_data, key, OPTION_INT, &arena), value);                                        \
    arena_free(&arena);                                                                                                                               \
    return call_end(&call, status);                                                                                                                   \
  }                                                                                                                                                   \
  AdbcStatusCode handle##_get_option_double(struct Handle* it, const char* key, double* value, struct AdbcError* error) {                             \
    struct call call;                                                                                                                                 \
    struct arena arena = {NULL};                                                                                                                      \
    if (!call_##handle(&call, Kind "GetOptionDouble", CALL_EARLY | CALL_SHARED, it, error)) return call.status;                                       \
    AdbcStatusCode status = option_out_double(&call, key, get(it->private_data, key, OPTION_DOUBLE, &arena), value);                                  \
    arena_free(&arena);                                                                                                                               \
    return call_end(&call, status);                                                                                                                   \
  }

#pragma GCC visibility pop

#endif
