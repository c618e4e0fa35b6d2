// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of another reader, copied to another memory. This source owns that reader. Unlike other sources, it may be
 * closed during a pull.
 */
final class CopiedSource implements DeviceArrayReader.Source {
  private volatile DeviceArrayReader reader; // volatile, because any thread may cancel
  private final MemoryManager target;
  private final DeviceStream stream;

  CopiedSource(DeviceArrayReader reader, MemoryManager target, DeviceStream stream) {
    this.reader = reader;
    this.target = target;
    this.stream = stream;
  }

  @Override
  public @Nullable DeviceArray next() {
    DeviceArray copy = null;
    try (DeviceArray array = reader.next()) {
      if (array != null) copy = array.copyTo(target, stream);
    } catch (Throwable t) { // also a failure of closing the original array
      if (copy != null) closeAfter(t, copy);
      throw t;
    }
    return copy;
  }

  private static void closeAfter(Throwable t, DeviceArray copy) {
    try {
      copy.close();
    } catch (Throwable second) {
      t.addSuppressed(second);
    }
  }

  @Override
  public boolean select(int... columns) {
    reader = reader.select(columns);
    return true;
  }

  @Override
  public void cancel() {
    reader.close();
  }

  @Override
  public void close() {
    reader.close();
  }
}
