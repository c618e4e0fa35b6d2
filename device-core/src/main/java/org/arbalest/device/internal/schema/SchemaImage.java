// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * The exported form of a schema: the contents of its structs, and the bytes of their strings. It is immutable. Exports
 * are written from it, and imported schemas are compared with it (SCH-22).
 */
final class SchemaImage {
  /** One struct. Its strings are positions in the text; −1 is NULL. */
  static final class Node {
    static final Node[] NONE = {};

    final long flags;
    final int format;
    final int name;
    final int metadata;
    final Node[] children;
    final @Nullable Node dictionary;

    Node(long flags, int format, int name, int metadata, Node[] children, @Nullable Node dictionary) {
      this.flags = flags;
      this.format = format;
      this.name = name;
      this.metadata = metadata;
      this.children = children;
      this.dictionary = dictionary;
    }
  }

  /** Reads words whose lowest byte is the first in memory. */
  private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final boolean IS_LITTLE = ByteOrder.nativeOrder().equals(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** The smallest page size of the supported platforms, in bytes. */
  private static final long PAGE = 4096;

  final Node root;

  /** The number of structs. */
  final int nodes;

  /** The strings, followed by one word of padding, so that word reads can go up to the end. */
  private final byte[] text;

  final int textBytes;

  SchemaImage(Node root, int nodes, SchemaText text) {
    this.root = root;
    this.nodes = nodes;
    this.text = text.toBytes(Long.BYTES);
    this.textBytes = text.size();
  }

  /** Returns the exported form of a field. */
  static SchemaImage of(FieldImpl field) {
    SchemaText text = new SchemaText(Integer.MAX_VALUE - 64);
    Node root = node(field, text);
    if (text.isFull()) throw new OutOfMemoryError("the strings of the schema are more than an array holds");
    return new SchemaImage(root, 1 + field.layout.descendants, text);
  }

  private static Node node(Field field, SchemaText text) {
    Layout layout = Layout.of(field);
    int format = text.put(layout.format);
    int name = text.put(field.name());
    Metadata metadata = field.metadata();
    int pairs = metadata.isEmpty() ? -1 : text.put(metadata);
    Node[] children = layout.children.length == 0 ? Node.NONE : new Node[layout.children.length];
    for (int i = 0; i < children.length; i++) children[i] = node(layout.children[i], text);
    return new Node(field.flags(), format, name, pairs, children,
        layout.dictionary == null ? null : node(layout.dictionary, text));
  }

  /** Writes the strings from an address on, each at its position. */
  void writeText(long to) {
    NativeHeap.putBytes(to, text, textBytes);
  }

  /**
   * Returns whether an imported struct and those below it have the same contents. It never reads beyond the end of
   * their strings and lists, even if the contents differ.
   */
  boolean matches(long schema) {
    return matches(root, schema);
  }

  private boolean matches(Node node, long schema) {
    if (RawArrowSchema.flags(schema) != node.flags || RawArrowSchema.nChildren(schema) != node.children.length)
      return false;
    if (!isText(node.format, RawArrowSchema.format(schema)) || !isText(node.name, RawArrowSchema.name(schema)))
      return false;
    if (!isMetadata(node.metadata, RawArrowSchema.metadata(schema))) return false;
    long dictionary = RawArrowSchema.dictionary(schema);
    if (node.dictionary == null ? dictionary != 0 : !matchesBelow(node.dictionary, dictionary)) return false;
    return node.children.length == 0 || matchesChildren(node.children, RawArrowSchema.children(schema));
  }

  private boolean matchesChildren(Node[] children, long list) {
    if (list == 0) return false;
    for (int i = 0; i < children.length; i++) {
      if (!matchesBelow(children[i], NativeHeap.getLong(list + (long) Long.BYTES * i))) return false;
    }
    return true;
  }

  private boolean matchesBelow(Node node, long schema) {
    return schema != 0 && RawArrowSchema.release(schema) != 0 && matches(node, schema);
  }

  /**
   * Returns whether a C string equals the string at a position.
   *
   * <p>While all bytes so far are equal, the C string continues at least to the first byte of the next word. The bytes
   * after its end are in the same page, so they can be read; the comparison ignores them.
   */
  private boolean isText(int place, long string) {
    if (place < 0 || string == 0) return place < 0 && string == 0;
    int at = place;
    long from = string;
    while ((from & (PAGE - 1)) <= PAGE - Long.BYTES) {
      long word = (long) WORD.get(text, at);
      long differs = word ^ word(from);
      // the lowest set bit is in the first byte that is 0
      long zeroes = (word - 0x0101_0101_0101_0101L) & ~word & 0x8080_8080_8080_8080L;
      if (zeroes != 0) return (differs & (Long.lowestOneBit(zeroes) << 1) - 1) == 0;
      if (differs != 0) return false;
      at += Long.BYTES;
      from += Long.BYTES;
    }
    while (NativeHeap.getByte(from) == text[at]) {
      if (text[at] == 0) return true;
      from++;
      at++;
    }
    return false;
  }

  /**
   * Returns whether a metadata block equals the block at a position. It compares each length before it reads that many
   * bytes.
   */
  private boolean isMetadata(int place, long block) {
    if (place < 0 || block == 0) return place < 0 && block == 0;
    int pairs = (int) INT.get(text, place);
    if (NativeHeap.getInt(block) != pairs) return false;
    int at = Integer.BYTES;
    for (int i = 0; i < 2 * pairs; i++) {
      int length = (int) INT.get(text, place + at);
      if (NativeHeap.getInt(block + at) != length) return false;
      at += Integer.BYTES;
      if (!isSame(place + at, block + at, length)) return false;
      at += length;
    }
    return true;
  }

  private boolean isSame(int place, long address, int length) {
    int i = 0;
    for (; i <= length - Long.BYTES; i += Long.BYTES) {
      if ((long) WORD.get(text, place + i) != word(address + i)) return false;
    }
    for (; i < length; i++) {
      if (text[place + i] != NativeHeap.getByte(address + i)) return false;
    }
    return true;
  }

  private static long word(long address) {
    long word = NativeHeap.getLong(address);
    return IS_LITTLE ? word : Long.reverseBytes(word);
  }
}
