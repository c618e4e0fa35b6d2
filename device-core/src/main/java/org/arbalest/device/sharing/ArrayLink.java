// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.sharing;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.sharing.ArrayLinkImpl;
import org.jspecify.annotations.Nullable;

/**
 * Arrays between two processes of one machine, both ways, without a copy ({@link SharedArray}): over a socket, such as
 * a Unix domain socket, of which each has an end. What crosses the socket are a few hundred bytes for each array.
 *
 * <p><b>Who keeps what.</b> What was sent stays in this process until the other one has released it, or is gone: its
 * runtime has given up what it had open then. What was received is closed by its receiver like any other array, also
 * after {@link #close}; if the sender is gone meanwhile, its content is undefined: close it. A link that fails while
 * both live, since something else was written to its socket, sends nothing more, and each still keeps what the other
 * has open until that has closed it.
 *
 * <p>Made over a connection by each of the two, which it then owns, and closed by them. Two virtual threads read and
 * write for it. Safe on any thread; the order of what several threads send is theirs to settle.
 */
public sealed interface ArrayLink extends AutoCloseable permits ArrayLinkImpl {
  /**
   * A link over a connection, which it takes over; the other process makes one of its end.
   *
   * @param channel connected, blocking, and used by nobody else; whoever closes it hangs up, and what was sent is
   *     freed, also what the other process has open
   * @throws IllegalArgumentException if it is not connected, or not blocking
   */
  static ArrayLink over(SocketChannel channel) {
    return ArrayLinkImpl.over(channel);
  }

  /**
   * Sends an array, of which this handle is consumed. Waits until it is ready, as {@link DeviceArray#synchronize} does:
   * so nothing that the other process queues depends on what this one has yet to do, or is killed in. Then waits until
   * it is written to the socket, but not until it is received; a thread that is interrupted there waits no longer, and
   * the array is sent all the same. If the link is closed or fails while an array is partly written, and the other
   * process does not read, whoever sends it waits until it reads on, or is gone.
   *
   * @throws DeviceException as {@link SharedArray#of} does, or with {@code EINVAL} if the message has over 64 MiB; the
   *     handle is not consumed then, nor with any other exception
   * @throws IOException if the other process is gone, or has closed its link, or the link has failed
   * @throws IllegalStateException if the link or the handle was closed
   */
  void send(DeviceArray array) throws IOException;

  /**
   * The next array that the other process sends; waits for it. To be closed by the caller.
   *
   * @return null if the other process has closed its link, and nothing more will come; or if this one was closed
   *     meanwhile
   * @throws DeviceException as {@link SharedArray#open(byte[], Runnable)} does; the sender may free that array then,
   *     and the next can be received
   * @throws IOException if the other process is gone, though it has not closed its link, or the link has failed: says
   *     why
   */
  @Nullable
  DeviceArray receive() throws IOException, InterruptedException;

  /** How many arrays that were sent the other process has not released yet; 0 when it is gone. */
  int unreleased();

  /**
   * Ends sending and receiving. Arrays that came and were not received go back. The connection itself is closed when
   * neither has an array of the other any more, later and without anybody waiting: so this may be closed while arrays
   * are in use on either side.
   */
  @Override
  void close();
}
