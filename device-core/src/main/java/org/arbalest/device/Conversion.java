// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.types.Field;

/**
 * What it took to make an array of another, by {@link DeviceArray#convertTo(Field)} or {@link DeviceArray#compact}.
 *
 * @param copiedBytes how many bytes were written anew, all in one allocation
 * @param copiedBuffers how many buffers they are
 * @param sharedBuffers how many buffers are the other array's own, as they are there or parts of them
 */
public record Conversion(long copiedBytes, int copiedBuffers, int sharedBuffers) {}
