// SPDX-License-Identifier: Apache-2.0
/**
 * Databases by their ADBC drivers ({@code adbc.h} 1.1.0 and 1.0.0), called by FFM: what a query gives is a
 * {@link org.arbalest.device.DeviceArrayReader}, what a table is made of may be one, and no batch is copied on the way.
 *
 * <p>{@link org.arbalest.device.adbc.AdbcDriver#load} finds a driver, which opens databases, these connections, these
 * statements. Errors of the driver are {@link org.arbalest.device.adbc.AdbcException}s, wherever they come up.
 */
@NullMarked
package org.arbalest.device.adbc;

import org.jspecify.annotations.NullMarked;
