// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory;

import java.nio.channels.Channel;
import java.nio.channels.SelectableChannel;

/** The check of channels from the application. */
public final class Blocking {
  private Blocking() {}

  /** Throws if a channel may return without bytes: waiting for them would use a whole core. */
  public static void require(Channel channel) {
    if (channel instanceof SelectableChannel selectable && !selectable.isBlocking()) throw new IllegalArgumentException(
        "the channel is in non-blocking mode, in which Arrow messages cannot be read or written; deregister it from its"
            + " selector, and call configureBlocking(true)");
  }
}
