// SPDX-License-Identifier: Apache-2.0
/**
 * Access to databases through ADBC drivers ({@code adbc.h} 1.1.0 and 1.0.0), which are called through the FFM API. A
 * query returns a {@link org.arbalest.device.DeviceArrayReader}; a table may be created from one. No batch is copied.
 *
 * <p>{@link org.arbalest.device.adbc.AdbcDriver#load} finds a driver. A driver opens databases, a database opens
 * connections, and a connection creates statements. Errors of the driver are {@link
 * org.arbalest.device.adbc.AdbcException}s, wherever they occur.
 */
@NullMarked
package org.arbalest.device.adbc;

import org.jspecify.annotations.NullMarked;
