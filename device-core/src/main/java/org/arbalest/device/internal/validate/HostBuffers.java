// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.DeviceQueue;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.staging.Transfer;

/** Access to an array's buffers from the CPU: in place, or through copies. Each part is copied when it is needed. */
final class HostBuffers implements AutoCloseable {
  private final Device device;
  private final Shared owner;
  private final boolean isDirect;

  /** The copies, in order. */
  private final List<DeviceBuffer> copies = new ArrayList<>();

  /** Creates access to the buffers that an owner keeps alive. */
  HostBuffers(Device device, Shared owner, boolean isDirect) {
    this.device = device;
    this.owner = owner;
    this.isDirect = isDirect;
  }

  /** Returns whether the CPU reads the buffers in place. */
  boolean isDirect() {
    return isDirect;
  }

  /** Returns an address at which the CPU can read some bytes of a buffer. It is valid until {@link #drop}. */
  long at(long address, long bytes) {
    if (isDirect || bytes == 0) return address;
    DeviceStreamImpl stream = DeviceStreamImpl.unwrap(device.defaultStream());
    DeviceBuffer copy = CpuDevice.get().allocate(bytes);
    copies.add(copy);
    DeviceQueue queue = stream.hold();
    Transfer transfer = queue.transfer();
    try {
      transfer.add(queue.place(CpuDevice.get()), copy.address(), queue.place(device), address, bytes);
      queue.await(transfer, owner, DeviceBufferImpl.unwrap(copy).allocation());
    } finally {
      transfer.release();
      queue.release();
    }
    return copy.address();
  }

  /**
   * Returns an address at which the CPU can read the visible elements, of {@code bytes} each, in one buffer of the
   * struct.
   */
  long elements(Rows rows, long buffer, long bytes) {
    return at(RawArrowArray.buffer(rows.struct, buffer) + bytes * rows.start, bytes * rows.count);
  }

  /** Returns the validity of the visible elements. */
  Validity validity(Rows rows) {
    if (!rows.layout.shape.hasValidity || RawArrowArray.nullCount(rows.struct) == 0 || rows.count == 0)
      return Validity.ALL;
    long bitmap = RawArrowArray.buffer(rows.struct, 0);
    return bitmap == 0 ? Validity.ALL : bits(bitmap, rows.start, rows.count);
  }

  /** Returns the validity in a part of a bitmap, of at least one bit. */
  Validity bits(long bitmap, long start, long count) {
    long byteOfFirst = start >>> 3;
    return new Validity(at(bitmap + byteOfFirst, ((start + count + 7) >>> 3) - byteOfFirst), start & 7);
  }

  /** Returns the number of copies, for {@link #drop}. */
  int mark() {
    return copies.size();
  }

  /** Frees the copies that were made since the mark. */
  void drop(int mark) {
    while (copies.size() > mark) copies.removeLast().close();
  }

  @Override
  public void close() {
    drop(0);
  }
}
