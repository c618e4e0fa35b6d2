// SPDX-License-Identifier: Apache-2.0
/**
 * What others implement, and helpers for it. Found by {@link java.util.ServiceLoader}: a backend, to serve a kind of device, the CPU being one like any other, by its {@link
 * org.arbalest.device.spi.DeviceProvider}; and who knows
 * objects of classes that are no records, {@link org.arbalest.device.spi.ObjectProvider}. And what a publisher promises,
 * {@link org.arbalest.device.spi.WakingSubscription}. {@link org.arbalest.device.spi.ArrayBridge} is for bridges to other Arrow libraries.
 */
@NullMarked
package org.arbalest.device.spi;

import org.jspecify.annotations.NullMarked;
