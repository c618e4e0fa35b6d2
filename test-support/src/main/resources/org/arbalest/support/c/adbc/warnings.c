// SPDX-License-Identifier: Apache-2.0
/* The warnings of a connection. */
#include <stdio.h>
#include <string.h>

#include "driver.h"

AdbcStatusCode faultyConnectionSetWarningHandler(struct AdbcConnection* handle, AdbcWarningHandler handler,
                                                 void* user_data, struct AdbcError* error) {
  BEGIN("ConnectionSetWarningHandler", EARLY, handle, CONNECTION);
  struct connection* connection = handle->private_data;
  connection->handler = handler;
  connection->user_data = user_data;
  return call_end(&call, ADBC_STATUS_OK);
}

struct warning {
  struct connection* connection;
  int number;
};

/* "the warning pointer itself may not be valid after the handler returns" */
static void* warn_once(void* argument) {
  struct warning* warning = argument;
  char message[64];
  snprintf(message, sizeof message, "warning %d", warning->number);
  struct AdbcError error = {.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
  error_set(&error, "warning", "01000", message);
  warning->connection->handler(&error, warning->connection->user_data);
  memset(&error, 0xA5, sizeof error);
  return NULL;
}

void warn(struct connection* connection) {
  int count = setting(WARNINGS), on_threads = count < 0;
  if (connection->handler == NULL) return;
  if (setting(NULL_WARNING)) connection->handler(NULL, connection->user_data);
  for (int i = 0; i < (on_threads ? -count : count); i++) {
    struct warning warning = {connection, i};
    pthread_t thread;
    if (!on_threads) warn_once(&warning);
    else if (pthread_create(&thread, NULL, warn_once, &warning) == 0) pthread_join(thread, NULL);
  }
}
