// SPDX-License-Identifier: Apache-2.0
/**
 * How a driver is called. At the bottom the C structs ({@code …Struct}) and the driver's table ({@link
 * org.arbalest.device.adbc.internal.DriverTable}, {@link org.arbalest.device.adbc.internal.AdbcFunction}); on these
 * native handles that are counted ({@link org.arbalest.device.adbc.internal.NativeHandle}), results ({@link
 * org.arbalest.device.adbc.internal.ResultSource}) and what is bound; on top what implements the front's interfaces
 * ({@code …Impl}).
 */
@NullMarked
package org.arbalest.device.adbc.internal;

import org.jspecify.annotations.NullMarked;
