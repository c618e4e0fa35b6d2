// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import org.arbalest.device.MemoryManager;

/** A body that is read from a channel, by ranges. */
record ChannelBody(Ranges.Source source, long position, long size) implements Body {
  @Override
  public boolean isInMemory() {
    return false;
  }

  @Override
  public Runnable fetch(BufferTable buffers, MemoryManager memory, long limit) throws IOException {
    return buffers.ranges.read(buffers, source, memory, limit, position);
  }
}
