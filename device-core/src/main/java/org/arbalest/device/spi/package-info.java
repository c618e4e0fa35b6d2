// SPDX-License-Identifier: Apache-2.0
/**
 * The interfaces that a backend implements, and helpers for them.
 *
 * <p>A {@link org.arbalest.device.spi.DeviceProvider} serves one kind of device; {@link java.util.ServiceLoader} finds
 * it. The CPU is such a device. {@link org.arbalest.device.spi.ArrayBridge} is for bridges to other Arrow libraries.
 */
@NullMarked
package org.arbalest.device.spi;

import org.jspecify.annotations.NullMarked;
