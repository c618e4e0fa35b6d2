/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each entry point does. The files of the entry points are the libraries: adbc_driver_double.c, plain.c.
 *
 * Included by: adbc_driver_double.c driver.c plain.c
 */
#ifndef ARBALEST_ADBC_DRIVER_H
#define ARBALEST_ADBC_DRIVER_H

#include "adbc/core/adbc.h"
#include "adbc/core/knobs.h"

#define ENTRY(name, mode)                                                                                           \
  KNOBS_EXPORT AdbcStatusCode name(int version, void* driver, struct AdbcError* error);                             \
  AdbcStatusCode name(int version, void* driver, struct AdbcError* error) { return driver_init(#name, mode, version, driver, error); }

#pragma GCC visibility push(hidden)

/* The mode is of INIT_…; INIT_NORMAL is what adbc_double_init says. */
AdbcStatusCode driver_init(const char* entry, int mode, int version, void* driver, struct AdbcError* error);

#pragma GCC visibility pop

#endif
