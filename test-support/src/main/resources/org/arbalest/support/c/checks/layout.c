// SPDX-License-Identifier: Apache-2.0
/* The C compiler's layout of the eight structs, as text: a JVM test compares its own layouts with it. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "arbalest/arrow_abi.h"
#include "checks.h"

/* The numbers of the frozen ABI on 64-bit platforms. */
#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type " has another size")
#define AT(type, field, bytes) \
  _Static_assert(offsetof(struct type, field) == (bytes), #type "." #field " is elsewhere")

SIZE(ArrowSchema, 72);
SIZE(ArrowArray, 80);
SIZE(ArrowArrayStream, 40);
SIZE(ArrowDeviceArray, 128);
AT(ArrowDeviceArray, device_id, 80);
AT(ArrowDeviceArray, device_type, 88);
AT(ArrowDeviceArray, sync_event, 96);
AT(ArrowDeviceArray, reserved, 104);
SIZE(ArrowDeviceArrayStream, 48);
SIZE(ArrowAsyncTask, 16);
SIZE(ArrowAsyncProducer, 40);
AT(ArrowAsyncProducer, additional_metadata, 24);
AT(ArrowAsyncProducer, private_data, 32);
SIZE(ArrowAsyncDeviceStreamHandler, 48);
AT(ArrowAsyncDeviceStreamHandler, producer, 32);
AT(ArrowAsyncDeviceStreamHandler, private_data, 40);

#define F(type, field) {#type "." #field, offsetof(struct type, field)}
#define S(type) {#type, sizeof(struct type)}

static const struct { const char* what; size_t bytes; } lines[] = {
  F(ArrowSchema, format), F(ArrowSchema, name), F(ArrowSchema, metadata), F(ArrowSchema, flags),
  F(ArrowSchema, n_children), F(ArrowSchema, children), F(ArrowSchema, dictionary),
  F(ArrowSchema, release), F(ArrowSchema, private_data), S(ArrowSchema),

  F(ArrowArray, length), F(ArrowArray, null_count), F(ArrowArray, offset), F(ArrowArray, n_buffers),
  F(ArrowArray, n_children), F(ArrowArray, buffers), F(ArrowArray, children), F(ArrowArray, dictionary),
  F(ArrowArray, release), F(ArrowArray, private_data), S(ArrowArray),

  F(ArrowArrayStream, get_schema), F(ArrowArrayStream, get_next), F(ArrowArrayStream, get_last_error),
  F(ArrowArrayStream, release), F(ArrowArrayStream, private_data), S(ArrowArrayStream),

  F(ArrowDeviceArray, array), F(ArrowDeviceArray, device_id), F(ArrowDeviceArray, device_type),
  F(ArrowDeviceArray, sync_event), F(ArrowDeviceArray, reserved), S(ArrowDeviceArray),

  F(ArrowDeviceArrayStream, device_type), F(ArrowDeviceArrayStream, get_schema),
  F(ArrowDeviceArrayStream, get_next), F(ArrowDeviceArrayStream, get_last_error),
  F(ArrowDeviceArrayStream, release), F(ArrowDeviceArrayStream, private_data), S(ArrowDeviceArrayStream),

  F(ArrowAsyncTask, extract_data), F(ArrowAsyncTask, private_data), S(ArrowAsyncTask),

  F(ArrowAsyncProducer, device_type), F(ArrowAsyncProducer, request), F(ArrowAsyncProducer, cancel),
  F(ArrowAsyncProducer, additional_metadata), F(ArrowAsyncProducer, private_data), S(ArrowAsyncProducer),

  F(ArrowAsyncDeviceStreamHandler, on_schema), F(ArrowAsyncDeviceStreamHandler, on_next_task),
  F(ArrowAsyncDeviceStreamHandler, on_error), F(ArrowAsyncDeviceStreamHandler, release),
  F(ArrowAsyncDeviceStreamHandler, producer), F(ArrowAsyncDeviceStreamHandler, private_data),
  S(ArrowAsyncDeviceStreamHandler),
};

static char text[4096];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void write_text(void) {
  size_t at = 0;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s %zu\n", lines[i].what, lines[i].bytes);
}

/* Static memory, never freed; the same at every call. */
const char* arbalest_layout(void) {
  pthread_once(&once, write_text);
  return text;
}
