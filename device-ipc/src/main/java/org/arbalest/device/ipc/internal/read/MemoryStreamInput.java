// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.nio.ByteBuffer;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.IpcReadOptions;

/** The messages of a stream in memory. */
final class MemoryStreamInput implements StreamInput {
  private final SharedMemory memory;
  private final boolean isEndMarkRequired;
  private long position;

  /** Takes over one use of the memory. */
  MemoryStreamInput(SharedMemory memory, IpcReadOptions options) {
    this.memory = memory;
    isEndMarkRequired = options.isEndMarkRequired();
  }

  @Override
  public boolean next(Message message) {
    if (position == memory.size()) {
      if (isEndMarkRequired) throw Framing.withoutMark(position);
      return false;
    }
    int size = number();
    if (size == Framing.CONTINUATION) size = number();
    if (size == 0) return false;
    Framing.checkSize(size, position - Integer.BYTES, memory.size() - position);
    ByteBuffer header = memory.part(position, size);
    message.read(header, position);
    position += size;
    long body = message.bodyLength();
    if (body > memory.size() - position) throw new IpcException(position,
        "the body of the message has " + body + " bytes, but only " + (memory.size() - position) + " follow");
    message.setBody(new MemoryBody(memory, position, body));
    position += body;
    return true;
  }

  private int number() {
    if (memory.size() - position < Integer.BYTES) {
      throw new IpcException(position, "the stream ends in the middle of a message");
    }
    int number = memory.part(position, Integer.BYTES).getInt();
    position += Integer.BYTES;
    return number;
  }

  @Override
  public void cancel() {
    // never waits
  }

  @Override
  public void close() {
    memory.release();
  }
}
