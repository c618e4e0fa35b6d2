// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import org.arbalest.device.ipc.internal.memory.NativeMemory;

/** Bytes to a channel. Memory is written without a copy, and gathered into few calls. */
final class Output implements Closeable {
  /** The most bytes of one {@link ByteBuffer}. */
  private static final long MOST = 1 << 30;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(NativeMemory.ALIGNMENT).asReadOnlyBuffer();

  private final WritableByteChannel channel;
  private ByteBuffer[] queued = new ByteBuffer[64];
  private int count;
  private long position;

  Output(WritableByteChannel channel) {
    this.channel = channel;
  }

  /** Returns the number of bytes that were added. */
  long position() {
    return position;
  }

  /** Adds bytes. The buffer must stay unchanged until {@link #flush}. */
  void add(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) return;
    if (count == queued.length) queued = Arrays.copyOf(queued, 2 * count);
    queued[count++] = bytes;
    position += bytes.remaining();
  }

  /** Adds memory, which must stay unchanged until {@link #flush}. */
  void add(long address, long bytes) {
    for (long at = 0; at < bytes; at += MOST) {
      add(NativeMemory.segment(address + at, Math.min(MOST, bytes - at)).asByteBuffer());
    }
  }

  /** Adds zeros up to the next multiple of a power of two of at most 64. */
  void align(int alignment) {
    int missing = (int) (-position & (alignment - 1));
    if (missing > 0) add(ZEROS.slice(0, missing));
  }

  /** Writes the added bytes. */
  void flush() throws IOException {
    try {
      for (int first = 0; first < count;) {
        if (channel instanceof GatheringByteChannel gathering) {
          gathering.write(queued, first, count - first);
        } else {
          channel.write(queued[first]);
        }
        while (first < count && !queued[first].hasRemaining()) first++;
      }
    } finally {
      Arrays.fill(queued, 0, count, null);
      count = 0;
    }
  }

  /** Writes the added bytes, and flushes a stream of bytes. */
  void finish() throws IOException {
    flush();
    if (channel instanceof OutputStreamChannel stream) stream.flush();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
