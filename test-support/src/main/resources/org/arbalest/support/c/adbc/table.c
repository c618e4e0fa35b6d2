// SPDX-License-Identifier: Apache-2.0
/* The table of functions, and the entry points that fill it: AdbcDriverInitFunc. */
#include <stdio.h>
#include <string.h>

#include "driver.h"

static AdbcStatusCode release(struct AdbcDriver* driver, struct AdbcError* error) {
  struct fault fault = fault_of("driver.release", NULL, 1);
  struct record* own = driver->private_data;
  if (fault.code != 0) {
    error_set(error, "driver.release", "58000", "driver.release: fails, as the test requested");
    return (AdbcStatusCode)fault.code;
  }
  if (own == NULL) {
    tracker_violation("a driver was released twice");
    error_set(error, "driver.release", "HY010", "driver.release: the driver was released before");
    return ADBC_STATUS_INVALID_STATE;
  }
  if (tracker_live(DATABASE) > 0 && tracker_live(DRIVER) == 1) {
    tracker_violation("the last driver was released before its databases");
  }
  tracker_close(own);
  driver->private_data = NULL;
  driver->release = NULL;
  return ADBC_STATUS_OK;
}

#define FILL(result, name, parameters) driver->name = is_missing(#name) ? NULL : faulty##name;

static void fill_draft(struct AdbcDraftDriver* driver) {
  ADBC_FUNCTIONS_1_2_0(FILL)
}

static void fill(struct AdbcDriver* driver, int version) {
  driver->private_data = tracker_open(sizeof(struct record), DRIVER);
  driver->release = is_missing("release") ? NULL : release;
  ADBC_FUNCTIONS_1_0_0(FILL)
  if (version < ADBC_VERSION_1_1_0) return;
  ADBC_FUNCTIONS_1_1_0(FILL)
  if (version < ADBC_VERSION_1_2_0) return;
  fill_draft((struct AdbcDraftDriver*)driver);
}

static AdbcStatusCode fails(struct AdbcError* error, AdbcStatusCode status, const char* entry, const char* why) {
  char message[256];
  snprintf(message, sizeof message, "%s: %s", entry, why);
  error_set(error, entry, "58000", message);
  return status;
}

AdbcStatusCode driver_init(const char* entry, int mode, int version, void* raw, struct AdbcError* error) {
  struct AdbcDriver* driver = raw;
  entered(entry, version);
  struct fault fault = fault_of("init", NULL, 1);
  if (mode == INIT_NORMAL) mode = setting(INIT);
  if (fault.code != 0) return fails(error, (AdbcStatusCode)fault.code, entry, "fails, as the test requested");
  int is_new = version == ADBC_VERSION_1_1_0 || version == ADBC_VERSION_1_2_0;
  int is_known = is_new || version == ADBC_VERSION_1_0_0;
  switch (mode) {
    case INIT_OLD: is_known = !is_new; break;
    case INIT_1_1_0: is_known = version < ADBC_VERSION_1_2_0; break;
    case INIT_REFUSES: is_known = 0; break;
    case INIT_FAILS: return fails(error, ADBC_STATUS_IO, entry, "there is no licence");
    case INIT_SILENT: return ADBC_STATUS_INTERNAL;
    case INIT_ODD_STATUS: return fails(error, 200, entry, "a status that is none");
    case INIT_EMPTY: memset(driver, 0, is_new ? ADBC_DRIVER_1_1_0_SIZE : ADBC_DRIVER_1_0_0_SIZE); return ADBC_STATUS_OK;
    case INIT_IGNORES_VERSION: version = ADBC_VERSION_1_0_0; break;
    default: break;
  }
  /* "ADBC_STATUS_NOT_IMPLEMENTED if the version is not supported. In that case, clients may retry with a different
     version." */
  if (!is_known) return fails(error, ADBC_STATUS_NOT_IMPLEMENTED, entry, "that version is not supported");
  fill(driver, version);
  return mode == INIT_FAILS_LATE ? fails(error, ADBC_STATUS_IO, entry, "the licence is over") : ADBC_STATUS_OK;
}
