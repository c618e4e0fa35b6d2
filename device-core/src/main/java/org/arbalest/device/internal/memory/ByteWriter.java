// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Writes a message for another process, in little-endian byte order. The buffer grows as needed. */
public final class ByteWriter {
  private ByteBuffer buffer = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);

  public void int32(int value) {
    room(Integer.BYTES).putInt(value);
  }

  public void long64(long value) {
    room(Long.BYTES).putLong(value);
  }

  /** Writes the number of bytes and then the bytes. */
  public void bytes(byte[] bytes) {
    int32(bytes.length);
    room(bytes.length).put(bytes);
  }

  public void text(String text) {
    bytes(text.getBytes(UTF_8));
  }

  public byte[] toArray() {
    return Arrays.copyOf(buffer.array(), buffer.position());
  }

  private ByteBuffer room(int bytes) {
    if (buffer.remaining() < bytes) {
      int size = Math.max(Math.multiplyExact(2, buffer.capacity()), Math.addExact(buffer.position(), bytes));
      buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN).put(buffer.flip());
    }
    return buffer;
  }
}
