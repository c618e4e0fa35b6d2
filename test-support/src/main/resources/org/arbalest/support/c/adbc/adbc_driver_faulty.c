// SPDX-License-Identifier: Apache-2.0
/* libadbc_driver_faulty: an entry point for each way to find one, and for each way to fail. */
#include "driver.h"

ENTRY(AdbcDriverFaultyInit, INIT_NORMAL) /* "a name derived from the name of the driver's shared library" */
ENTRY(AdbcDriverInit, INIT_NORMAL)       /* "the recommended name" */
ENTRY(arbalest_custom_entry, INIT_NORMAL)
ENTRY(AdbcFaultyOldInit, INIT_OLD)
ENTRY(AdbcFaultyFailingInit, INIT_FAILS)
ENTRY(AdbcFaultySilentInit, INIT_SILENT)
