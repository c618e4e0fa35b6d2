// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow files and streams: the IPC format of Arrow's columnar specification, read and written without Arrow Java.
 *
 * <p>{@link org.arbalest.device.ipc.ArrowFile} gives random access to the batches of a file, which it maps into memory:
 * arrays point into the map. {@link org.arbalest.device.ipc.ArrowStream} reads a stream, one batch after the other.
 * {@link org.arbalest.device.ipc.ArrowWriter} writes both. Malformed input is an
 * {@link org.arbalest.device.ipc.IpcException}, which has the position.
 */
@NullMarked
package org.arbalest.device.ipc;

import org.jspecify.annotations.NullMarked;
