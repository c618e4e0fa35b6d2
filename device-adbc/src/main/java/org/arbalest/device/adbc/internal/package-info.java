// SPDX-License-Identifier: Apache-2.0
/**
 * The calls of a driver. The lowest layer has the C structs ({@code …Struct}) and the driver's table ({@link
 * org.arbalest.device.adbc.internal.DriverTable}, {@link org.arbalest.device.adbc.internal.AdbcFunction}). The middle
 * layer has reference-counted native handles ({@link org.arbalest.device.adbc.internal.NativeHandle}), results ({@link
 * org.arbalest.device.adbc.internal.ResultSource}) and bound sources. The top layer implements the interfaces of the
 * public API ({@code …Impl}).
 */
@NullMarked
package org.arbalest.device.adbc.internal;

import org.jspecify.annotations.NullMarked;
