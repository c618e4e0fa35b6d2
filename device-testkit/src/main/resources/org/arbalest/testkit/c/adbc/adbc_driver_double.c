// SPDX-License-Identifier: Apache-2.0
/* libadbc_driver_double: an entry point for each way to be found, and for each way to fail. */
#include "driver.h"

ENTRY(AdbcDriverDoubleInit, INIT_NORMAL) /* "a name derived from the name of the driver's shared library" (AdbcDriverInitFunc) */
ENTRY(AdbcDriverInit, INIT_NORMAL)       /* "the recommended name" */
ENTRY(arbalest_custom_entry, INIT_NORMAL)
ENTRY(AdbcDoubleOldInit, INIT_OLD)
ENTRY(AdbcDoubleFailingInit, INIT_FAILS)
ENTRY(AdbcDoubleSilentInit, INIT_SILENT)
