// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.internal.memory.NativeHeap;

/** The strings of a {@link SchemaImage} under construction, one after the other. Each is known by its position. */
final class SchemaText {
  private final int most;
  private byte[] bytes = new byte[128];
  private int size;
  private boolean full;

  /** Creates a text of at most {@code most} bytes. A string beyond that is dropped, and the text stays full. */
  SchemaText(int most) {
    this.most = most;
  }

  boolean isFull() {
    return full;
  }

  /** Returns the position of the next string. */
  int size() {
    return size;
  }

  /** Returns all strings, followed by {@code more} zero bytes. */
  byte[] toBytes(int more) {
    return Arrays.copyOf(bytes, size + more);
  }

  /** Appends a text and a NUL; returns its position. */
  int put(String text) {
    return putText(text.getBytes(UTF_8));
  }

  /** Reads a C string once, and appends it and a NUL. */
  String putString(long address) {
    byte[] text = NativeHeap.getBytes(address, length(address));
    putText(text);
    return new String(text, UTF_8);
  }

  private static int length(long address) {
    int length = 0;
    while (NativeHeap.getByte(address + length) != 0) length = Math.addExact(length, 1);
    return length;
  }

  /** Appends metadata in its C encoding; returns its position. */
  int put(Metadata metadata) {
    if (MetadataCodec.size(metadata) > most) full = true;
    return full ? size : put(MetadataCodec.encode(metadata), 0);
  }

  private int putText(byte[] text) {
    return put(text, 1);
  }

  private int put(byte[] more, int zeroes) {
    int at = size;
    if (full || more.length > most - zeroes - size) {
      full = true;
      return at;
    }
    int end = size + more.length + zeroes;
    if (end > bytes.length) bytes = Arrays.copyOf(bytes, (int) Math.min(most, 2L * end));
    System.arraycopy(more, 0, bytes, size, more.length);
    size = end; // the array already has the zero bytes
    return at;
  }
}
