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
    checkOpen();
    DeviceBuffer buffer = device.allocate(bytes);
    buffers.add(buffer);
    return buffer;
  }

  /** Throws if the memory was freed or moved into an array: whoever still has a builder must not write to it. */
  void checkOpen() {
    if (closed) throw new IllegalStateException("the batch was built or closed");
  }

  /** Frees what was not moved into an array. */
  @Override
  public void close() {
    closed = true;
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }
}
