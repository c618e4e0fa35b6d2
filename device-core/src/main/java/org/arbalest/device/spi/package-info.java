// SPDX-License-Identifier: Apache-2.0
/**
 * What a backend implements, and helpers for it. A {@link org.arbalest.device.spi.DeviceProvider} serves a kind of
 * device, the CPU being one like any other; {@link java.util.ServiceLoader} finds it.
 * {@link org.arbalest.device.spi.ArrayBridge} is for bridges to other Arrow libraries.
 */
@NullMarked
package org.arbalest.device.spi;

import org.jspecify.annotations.NullMarked;
