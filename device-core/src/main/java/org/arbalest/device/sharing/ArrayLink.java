// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.sharing;

import com.google.errorprone.annotations.CheckReturnValue;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.sharing.ArrayLinkImpl;
import org.jspecify.annotations.Nullable;

/**
 * A connection that sends arrays between two processes of one machine, in both directions and without a copy
 * ({@link SharedArray}). It runs over a socket, such as a Unix domain socket. Each array needs a few hundred bytes on
 * the socket.
 *
 * <p><b>Ownership.</b> A sent array stays in the sender's memory until the receiver has released it. If the receiver's
 * process ends, its runtime closes the memory, and the sender then releases the array. The receiver closes a received
 * array like any other, also after {@link #close}. If the sender's process has ended meanwhile, the array's content is
 * undefined: close the array.
 *
 * <p>Each process creates a link over its end of the connection. The link owns that end, and its process closes the
 * link. Two virtual threads of the link read and write.
 *
 * <p><b>Threads.</b> All methods may be called from any thread. The application determines the order in which several
 * threads send.
 *
 * <p><b>Errors.</b> A link fails if something else was written to its socket. If both processes live, a failed link
 * sends nothing more. Each process still keeps the memory that the other has open, until the other has closed it.
 */
@CheckReturnValue
public sealed interface ArrayLink extends AutoCloseable permits ArrayLinkImpl {
  /**
   * Creates a link over a connection, and takes the connection over. The other process creates a link over the other
   * end.
   *
   * @param channel a connected and blocking socket without another user. To close it directly ends the connection, and
   *     then sent arrays are freed even while the other process has them open
   * @throws IllegalArgumentException if the socket is not connected, or not blocking
   */
  static ArrayLink over(SocketChannel channel) {
    return ArrayLinkImpl.over(channel);
  }

  /**
   * Sends an array, and consumes this handle of it.
   *
   * <p>The method first waits until the array is ready, as {@link DeviceArray#synchronize} does. Work that the receiver
   * queues thus never depends on unfinished work of the sender, whose process may end. The method then blocks until the
   * array is written to the socket, but not until it is received.
   *
   * <p>An interrupt ends the wait for the socket, and the array is sent nevertheless. If the link is closed or fails
   * while an array is partly written, and the other process does not read, the sender blocks until the other process
   * reads on or ends.
   *
   * @throws DeviceException as {@link SharedArray#of} does, or with {@code EINVAL} if the message exceeds 64 MiB. After
   *     this exception, as after any other, the caller still owns the handle
   * @throws IOException if the other process has ended, or has closed its link, or the link has failed
   * @throws IllegalStateException if the link or the handle is closed
   */
  void send(DeviceArray array) throws IOException;

  /**
   * Returns the next array that the other process sends; blocks until it arrives. The caller closes the array.
   *
   * @return null if the other process has closed its link and no array remains, or if this link was closed meanwhile
   * @throws DeviceException as {@link SharedArray#open(byte[], Runnable)} does. The sender may then free that array,
   *     and the next one can be received
   * @throws IOException with the reason, if the other process ended without closing its link, or the link has failed
   */
  @Nullable
  DeviceArray receive() throws IOException, InterruptedException;

  /** Returns the number of sent arrays that the other process has not released yet; 0 after it has ended. */
  int unreleased();

  /**
   * Ends sending and receiving, and releases arrays that arrived but were not received. Does not block. Arrays may
   * still be in use on either side: the connection itself closes later, when neither process has an array of the other.
   */
  @Override
  void close();
}
