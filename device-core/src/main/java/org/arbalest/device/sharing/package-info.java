// SPDX-License-Identifier: Apache-2.0
/**
 * Arrays that several processes use at once, in memory of a device that they share.
 *
 * <p>A {@link org.arbalest.device.sharing.SharedArray} makes an array's memory known to other processes, and gives a
 * message that says where it is. An {@link org.arbalest.device.sharing.ArrayLink} sends such messages to one other
 * process, over a socket, and takes the other's. A link keeps the memory until the other process has released it; with
 * a {@code SharedArray} alone, its owner has to.
 *
 * <pre>{@code
 * try (ArrayLink link = ArrayLink.over(channel)) { // in one process
 *   link.send(batch);
 * }
 *
 * try (ArrayLink link = ArrayLink.over(channel)) { // in another
 *   try (DeviceArray batch = link.receive()) {
 *     // null: the other has closed its end
 *     if (batch != null) System.out.println(batch.length() + " rows on " + batch.device());
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.sharing;

import org.jspecify.annotations.NullMarked;
