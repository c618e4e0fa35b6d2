// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.ipc.internal.memory.NativeMemory;

/** The arrays and the buffers of one message, in the order of the format. Reused for the next message. */
final class EncodedBatch implements AutoCloseable {
  long[] lengths = new long[64];
  long[] nullCounts = new long[64];
  int arrays;
  long[] addresses = new long[128];
  long[] sizes = new long[128];
  int buffers;
  long[] variadicCounts = new long[8];
  int views;

  /** The memory of buffers that had to be written anew. */
  private final List<DeviceBuffer> made = new ArrayList<>();
  private final List<DeviceArray> kept = new ArrayList<>();

  void addArray(long length, long nullCount) {
    if (arrays == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * arrays);
      nullCounts = Arrays.copyOf(nullCounts, 2 * arrays);
    }
    lengths[arrays] = length;
    nullCounts[arrays++] = nullCount;
  }

  void addBuffer(long address, long size) {
    if (buffers == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * buffers);
      sizes = Arrays.copyOf(sizes, 2 * buffers);
    }
    addresses[buffers] = address;
    sizes[buffers++] = size;
  }

  void addVariadicCount(long count) {
    if (views == variadicCounts.length) variadicCounts = Arrays.copyOf(variadicCounts, 2 * views);
    variadicCounts[views++] = count;
  }

  /** Allocates memory that lives until this batch is closed, and returns its address. */
  long allocate(long bytes) {
    DeviceBuffer buffer = Devices.cpu().memory().allocate(NativeMemory.align(Math.max(1, bytes)));
    made.add(buffer);
    return buffer.address();
  }

  /** Takes over an array, which is closed with this batch, and returns it. */
  DeviceArray keep(DeviceArray array) {
    kept.add(array);
    return array;
  }

  /** Frees the memory, and removes all content. */
  @Override
  public void close() {
    kept.forEach(DeviceArray::close);
    kept.clear();
    made.forEach(DeviceBuffer::close);
    made.clear();
    arrays = 0;
    buffers = 0;
    views = 0;
  }
}
