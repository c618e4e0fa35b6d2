// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.internal.memory.NativeHeap;

/** The strings of a {@link SchemaImage} while it is made: each is put behind the one before, and known by its place. */
final class SchemaText {
  private final int most;
  private byte[] bytes = new byte[128];
  private int size;
  private boolean full;

  /** For so many bytes at most; what goes beyond is dropped, and the text is full from then on. */
  SchemaText(int most) {
    this.most = most;
  }

  boolean isFull() {
    return full;
  }

  /** Where the next string begins. */
  int size() {
    return size;
  }

  /** All strings, and so many zeroes more. */
  byte[] toBytes(int more) {
    return Arrays.copyOf(bytes, size + more);
  }

  /** Puts a text and its NUL; returns its place. */
  int put(String text) {
    return putText(text.getBytes(UTF_8));
  }

  /** Reads a C string, once, and puts it and its NUL. */
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

  /** Puts metadata as C has it; returns its place. */
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
    size = end; // zeroes are there already
    return at;
  }
}
