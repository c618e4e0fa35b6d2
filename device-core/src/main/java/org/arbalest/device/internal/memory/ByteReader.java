// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import org.arbalest.device.DeviceException;

/**
 * Reads a message that another process wrote with a {@link ByteWriter}. The bytes are not trusted. Each read names the
 * value, for the error message.
 */
public final class ByteReader {
  private final ByteBuffer buffer;

  public ByteReader(byte[] bytes) {
    buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  public int int32(String what) {
    need(what, Integer.BYTES);
    return buffer.getInt();
  }

  public long long64(String what) {
    need(what, Long.BYTES);
    return buffer.getLong();
  }

  /** Reads a number of following items, each of which takes at least one byte. */
  public int count(String what, int most) {
    int count = int32(what);
    if (count < 0 || count > most) throw DeviceException
        .invalid("the message has " + count + " as " + what + "; 0 to " + most + " are legal");
    return count;
  }

  public byte[] bytes(String what) {
    int length = int32("the length of " + what);
    if (length < 0) throw DeviceException.invalid("the message says that " + what + " has " + length + " bytes");
    need(what, length);
    byte[] bytes = new byte[length];
    buffer.get(bytes);
    return bytes;
  }

  public String text(String what) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(what))).toString();
    } catch (CharacterCodingException _) {
      throw DeviceException.invalid("the message has " + what + " that is not UTF-8");
    }
  }

  /** Checks that no bytes remain. */
  public void end() {
    if (buffer.hasRemaining())
      throw DeviceException.invalid("the message has " + buffer.remaining() + " bytes after its end");
  }

  private void need(String what, int bytes) {
    if (buffer.remaining() >= bytes) return;
    throw DeviceException.invalid(
        "the message ends at byte " + buffer.capacity() + ", within " + what + ", which takes " + bytes + " bytes from "
            + buffer.position() + " on");
  }
}
