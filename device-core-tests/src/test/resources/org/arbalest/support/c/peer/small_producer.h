/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An async producer without arrays. It ends when the test calls small_end, and counts its cancellations.
 *
 * Included by: arrow_alike.c arrow_unlike.c
 */
#include <stdlib.h>

#include "arbalest/arrow_abi.h"

struct small {
  struct ArrowAsyncProducer producer;
  struct ArrowAsyncDeviceStreamHandler* handler;
  int64_t cancels;
};

static void small_request(struct ArrowAsyncProducer* self, int64_t n) { (void)self, (void)n; }
static void small_cancel(struct ArrowAsyncProducer* self) { ((struct small*)self->private_data)->cancels++; }
static void small_schema_release(struct ArrowSchema* schema) { schema->release = NULL; }

void* small_start(struct ArrowAsyncDeviceStreamHandler* handler) {
  struct small* small = calloc(1, sizeof *small);
  struct ArrowSchema schema = {.format = "+s", .name = "", .release = small_schema_release};
  small->producer = (struct ArrowAsyncProducer){
      .device_type = ARROW_DEVICE_CPU, .request = small_request, .cancel = small_cancel, .private_data = small};
  small->handler = handler;
  handler->producer = &small->producer;
  handler->on_schema(handler, &schema);
  return small;
}

int64_t small_cancels(void* small) { return ((struct small*)small)->cancels; }

void small_end(void* self) {
  struct small* small = self;
  small->handler->on_next_task(small->handler, NULL, NULL);
  small->handler->release(small->handler);
  free(small);
}
