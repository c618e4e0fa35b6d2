// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of another reader, copied to another memory. This source owns that reader. Unlike other sources, it may be
 * closed during a pull.
 */
final class CopiedSource<A extends DeviceArray> implements DeviceArrayReader.Source<A> {
  private volatile DeviceArrayReader<A> reader; // volatile, because any thread may cancel
  private final MemoryManager target;
  private final DeviceStream stream;

  CopiedSource(DeviceArrayReader<A> reader, MemoryManager target, DeviceStream stream) {
    this.reader = reader;
    this.target = target;
    this.stream = stream;
  }

  @Override
  public @Nullable A next() {
    A copy = null;
    try (A array = reader.next()) {
      if (array != null) copy = DeviceArrayImpl.like(array, array.copyTo(target, stream));
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
    reader = DeviceArrayReaderImpl.batches(reader);
    reader = DeviceArrayReaderImpl.select(reader, columns);
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
