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

  /** Whether a buffer must be compressed even if it does not shrink. */
  boolean[] mustCompress = new boolean[128];

  /** Whether a buffer is one of a compressed batch that is stored as it was, behind a prefix of 8 bytes. */
  boolean[] areStored = new boolean[128];

  /** Where the buffers begin in the body of the message, once {@link #place} has run. */
  long[] starts = new long[128];

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
    addBuffer(address, size, false);
  }

  void addBuffer(long address, long size, boolean mustItCompress) {
    if (buffers == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * buffers);
      sizes = Arrays.copyOf(sizes, 2 * buffers);
      mustCompress = Arrays.copyOf(mustCompress, 2 * buffers);
      areStored = Arrays.copyOf(areStored, 2 * buffers);
      starts = Arrays.copyOf(starts, 2 * buffers);
    }
    addresses[buffers] = address;
    mustCompress[buffers] = mustItCompress;
    areStored[buffers] = false;
    sizes[buffers++] = size;
  }

  /**
   * Computes where the buffers begin in the body: their values are aligned, and those of a stored buffer are behind its
   * prefix. Readers may use them in place.
   *
   * @return the size of the body
   */
  long place(int alignment) {
    long end = 0;
    for (int i = 0; i < buffers; i++) {
      int prefix = areStored[i] ? Long.BYTES : 0;
      starts[i] = NativeMemory.align(end + prefix, alignment) - prefix;
      end = starts[i] + sizes[i];
    }
    return NativeMemory.align(end, alignment);
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
