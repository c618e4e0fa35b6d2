// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;

/** The buffers of an array that is being made. {@link #close} frees those that have not moved into the array. */
final class Buffers implements AutoCloseable {
  private final List<DeviceBuffer> all = new ArrayList<>();

  /** Allocates a buffer of zeros. */
  DeviceBuffer allocate(long bytes) {
    DeviceBuffer buffer = Devices.cpu().memory().allocate(bytes);
    all.add(buffer);
    buffer.segment().fill((byte) 0);
    return buffer;
  }

  /** Allocates a buffer of integers. */
  DeviceBuffer integers(long[] values, int bytesEach) {
    DeviceBuffer buffer = allocate((long) values.length * bytesEach);
    for (int i = 0; i < values.length; i++) {
      FixedWidth.putLong(bytesEach, values[i], buffer.segment().asSlice((long) i * bytesEach, bytesEach));
    }
    return buffer;
  }

  @Override
  public void close() {
    all.forEach(DeviceBuffer::close);
  }
}
