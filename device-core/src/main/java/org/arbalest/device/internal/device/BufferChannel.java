// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.NativeHeap;

/**
 * A channel of a buffer's bytes. If the CPU cannot access the buffer, each read and write is one copy by the device.
 */
final class BufferChannel implements SeekableByteChannel {
  private final DeviceBufferImpl buffer;
  private final boolean isWriter;
  private long position;

  /** Takes over the buffer. {@link #close} closes it. */
  BufferChannel(DeviceBufferImpl buffer, boolean isWriter) {
    this.buffer = buffer;
    this.isWriter = isWriter;
  }

  @Override
  public synchronized int read(ByteBuffer target) throws IOException {
    checkOpen();
    if (!target.hasRemaining()) return 0;
    long left = buffer.size() - position;
    if (left <= 0) return -1;
    int count = (int) Math.min(left, target.remaining());
    MemorySegment destination = MemorySegment.ofBuffer(target.slice(target.position(), count));
    try (DeviceBuffer part = buffer.slice(position, count)) {
      if (buffer.isCpuAccessible()) {
        NativeHeap.copy(part.segment(), destination);
      } else {
        try (DeviceBuffer staging = part.copyTo(CpuDevice.get().memory())) {
          NativeHeap.copy(staging.segment(), destination);
        }
      }
    }
    target.position(target.position() + count);
    position += count;
    return count;
  }

  @Override
  public synchronized int write(ByteBuffer source) throws IOException {
    checkOpen();
    if (!isWriter) throw new NonWritableChannelException();
    int count = source.remaining();
    if (count > buffer.size() - position) {
      throw new IOException(
          count + " bytes do not fit at position " + position + " of a buffer of " + buffer.size() + " bytes");
    }
    MemorySegment bytes = MemorySegment.ofBuffer(source.slice());
    try (DeviceBuffer part = buffer.slice(position, count)) {
      if (buffer.isCpuAccessible()) {
        NativeHeap.copy(bytes, part.segment());
      } else if (count > 0) {
        try (DeviceBuffer staging = CpuDevice.get().allocate(count)) {
          NativeHeap.copy(bytes, staging.segment());
          Copies.copy(staging, part);
        }
      }
    }
    source.position(source.limit());
    position += count;
    return count;
  }

  @Override
  public synchronized long position() throws IOException {
    checkOpen();
    return position;
  }

  /** Sets the position, which may be beyond the end: a read there finds the end, and a write there does not fit. */
  @Override
  public synchronized SeekableByteChannel position(long newPosition) throws IOException {
    checkOpen();
    if (newPosition < 0)
      throw new IllegalArgumentException("a position is not negative, but " + newPosition + " was given");
    position = newPosition;
    return this;
  }

  @Override
  public synchronized long size() throws IOException {
    checkOpen();
    return buffer.size();
  }

  /** Limits the position if the size is not smaller than the buffer. A buffer cannot become smaller. */
  @Override
  public synchronized SeekableByteChannel truncate(long size) throws IOException {
    checkOpen();
    if (!isWriter) throw new NonWritableChannelException();
    if (size < 0) throw new IllegalArgumentException("a size is not negative, but " + size + " was given");
    if (size < buffer.size()) throw new IOException("a buffer of " + buffer.size() + " bytes cannot be cut to " + size);
    position = Math.min(position, size);
    return this;
  }

  @Override
  public boolean isOpen() {
    return buffer.isOpen();
  }

  @Override
  public synchronized void close() {
    buffer.close();
  }

  private void checkOpen() throws ClosedChannelException {
    if (!buffer.isOpen()) throw new ClosedChannelException();
  }
}
