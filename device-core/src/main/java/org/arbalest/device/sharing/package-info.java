// SPDX-License-Identifier: Apache-2.0
/**
 * Arrays that several processes use at once, in shared memory of a device.
 *
 * <p>A {@link org.arbalest.device.sharing.SharedArray} makes an array's memory available to other processes, and
 * produces a message with its location. An {@link org.arbalest.device.sharing.ArrayLink} sends such messages to one
 * other process over a socket, and receives messages from it. A link keeps the memory until the other process has
 * released it. With a {@code SharedArray} alone, its owner must do that.
 *
 * <pre>{@code
 * try (ArrayLink link = ArrayLink.over(channel)) { // in one process
 *   link.send(batch);
 * }
 *
 * try (ArrayLink link = ArrayLink.over(channel)) { // in another
 *   try (DeviceArray batch = link.receive()) {
 *     // null: the other process has closed its link
 *     if (batch != null) System.out.println(batch.length() + " rows on " + batch.device());
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.sharing;

import org.jspecify.annotations.NullMarked;
