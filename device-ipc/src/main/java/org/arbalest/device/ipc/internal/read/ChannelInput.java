// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.jspecify.annotations.Nullable;

/** A file that is read by a channel, which an interrupt of one of the file's users does not close. */
final class ChannelInput implements FileInput {
  private final SeekableByteChannel channel;
  private final long size;

  ChannelInput(SeekableByteChannel channel) throws IOException {
    this.channel = channel;
    size = ReadThreads.run(channel, channel::size);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public ByteBuffer part(long position, int bytes, @Nullable ByteBuffer reused) throws IOException {
    ByteBuffer part = reused != null && reused.capacity() >= bytes ? reused.clear().limit(bytes)
        : ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return ReadThreads.run(channel, () -> {
      read(part, position);
      return part.flip();
    });
  }

  @Override
  public Body body(long position, long bytes) {
    return new ChannelBody((from, to, address) -> {
      long _ = ReadThreads.run(channel, () -> read(position + from, position + to, address));
    }, position, bytes);
  }

  /** Returns the number of bytes. */
  private long read(long from, long to, long address) throws IOException {
    long target = address;
    for (long at = from; at < to;) {
      int step = (int) Math.min(to - at, 1 << 30);
      read(NativeMemory.segment(target, step).asByteBuffer(), at);
      at += step;
      target += step;
    }
    return to - from;
  }

  private void read(ByteBuffer target, long position) throws IOException {
    if (channel instanceof FileChannel file) { // reads at a position in several threads
      for (long at = position; target.hasRemaining();) {
        int read = file.read(target, at);
        if (read < 0) throw ended(at);
        at += read;
      }
      return;
    }
    synchronized (channel) {
      channel.position(position);
      while (target.hasRemaining()) {
        if (channel.read(target) < 0) throw ended(channel.position());
      }
    }
  }

  private EOFException ended(long position) {
    return new EOFException("the file ended at byte " + position + "; it had " + size + " bytes when it was opened");
  }

  @Override
  public void release() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the file's channel", e);
    }
  }
}
