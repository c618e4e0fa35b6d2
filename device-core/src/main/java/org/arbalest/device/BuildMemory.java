package org.arbalest.device;

import java.util.ArrayList;
import java.util.List;

/** All that a builder has allocated, so that nothing is left when it is given up. */
final class BuildMemory implements AutoCloseable {
  private final Device device;
  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private boolean closed;

  BuildMemory(Device device) {
    this.device = device;
  }

  DeviceBuffer allocate(long bytes) {
    if (closed) throw new IllegalStateException("the batch was closed");
    DeviceBuffer buffer = device.allocate(bytes);
    buffers.add(buffer);
    return buffer;
  }

  /** Frees what was not moved into an array. */
  @Override
  public void close() {
    closed = true;
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }
}
