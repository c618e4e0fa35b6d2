/**
 * Arrow arrays on any device, handed to native code and taken back without a copy.
 *
 * <p>Start with {@link org.arbalest.device.DeviceArray} (a batch, the unit of ownership), {@link org.arbalest.device.Schema} (its type),
 * {@link org.arbalest.device.DeviceArrayReader} (a stream of batches) and {@link org.arbalest.device.Devices} (where memory is). Who must
 * release what is written in {@code docs/ownership.md}.
 */
@NullMarked
package org.arbalest.device;

import org.jspecify.annotations.NullMarked;
