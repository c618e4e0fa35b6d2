// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.IpcReadOptions;
import org.arbalest.device.ipc.internal.memory.NativeMemory;

/** The messages of a stream from a channel. */
final class ChannelStreamInput implements StreamInput, Ranges.Source {
  /** The bytes that are read at once before it is known that more exist: a size in a header may be wrong. */
  private static final int STEP = 1 << 20;

  private final ReadableByteChannel channel;
  private final int mostMetadata;
  private final ByteBuffer number = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private ByteBuffer header = little(4096);
  private ByteBuffer skipped = ByteBuffer.allocate(0);
  private final boolean isEndMarkRequired;
  private long position;
  private long bodyStart;
  private long bodyEnd;

  ChannelStreamInput(ReadableByteChannel channel, IpcReadOptions options) {
    this.channel = channel;
    mostMetadata = Framing.mostMetadata(options.maxAllocation());
    isEndMarkRequired = options.isEndMarkRequired();
  }

  @Override
  public boolean next(Message message) throws IOException {
    skipTo(bodyEnd);
    if (!readNumber(true)) {
      if (isEndMarkRequired) throw Framing.withoutMark(position);
      return false;
    }
    int size = number.getInt(0);
    if (size == Framing.CONTINUATION) {
      readNumber(false);
      size = number.getInt(0);
    }
    if (size == 0) return false;
    Framing.checkSize(size, position - Integer.BYTES, Integer.MAX_VALUE);
    Framing.checkLimit(size, position - Integer.BYTES, mostMetadata);
    long start = position;
    readHeader(size);
    message.read(header, start);
    bodyStart = position;
    if (message.bodyLength() > Long.MAX_VALUE - position) {
      throw new IpcException(position, "the body of the message has " + message.bodyLength() + " bytes, too many");
    }
    bodyEnd = position + message.bodyLength();
    message.setBody(new ChannelBody(this, position, message.bodyLength()));
    return true;
  }

  /** Reads four bytes; returns false if the stream ends before them and may end there. */
  private boolean readNumber(boolean mayEnd) throws IOException {
    number.clear();
    while (number.hasRemaining()) {
      if (channel.read(number) >= 0) continue;
      if (mayEnd && number.position() == 0) return false;
      throw ended(position + number.position(), number.remaining());
    }
    position += Integer.BYTES;
    return true;
  }

  private void readHeader(int size) throws IOException {
    if (header.capacity() < Math.min(size, STEP)) header = little(Math.min(size, STEP));
    header.clear();
    while (header.position() < size) {
      if (header.position() == header.capacity()) {
        ByteBuffer larger = little((int) Math.min(size, 2L * header.capacity()));
        larger.put(header.flip());
        header = larger;
      }
      header.limit(Math.min(header.capacity(), size));
      int read = channel.read(header);
      if (read < 0) throw ended(position + header.position(), size - header.position());
    }
    position += size;
    header.flip();
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void read(long from, long to, long address) throws IOException {
    skipTo(bodyStart + from);
    long left = to - from;
    for (long at = address; left > 0;) {
      int step = (int) Math.min(left, 1 << 30);
      ByteBuffer target = NativeMemory.segment(at, step).asByteBuffer();
      while (target.hasRemaining()) {
        int read = channel.read(target);
        if (read < 0) throw ended(position, left - target.position());
        position += read;
      }
      at += step;
      left -= step;
    }
  }

  private void skipTo(long target) throws IOException {
    if (target > position && skipped.capacity() == 0) skipped = ByteBuffer.allocate(1 << 16);
    while (position < target) {
      skipped.clear().limit((int) Math.min(skipped.capacity(), target - position));
      int read = channel.read(skipped);
      if (read < 0) throw ended(position, target - position);
      position += read;
    }
  }

  private static IpcException ended(long position, long missing) {
    return new IpcException(position, "the stream ends in the middle of a message; " + missing + " bytes are missing");
  }

  @Override
  public void cancel() throws IOException {
    channel.close();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
