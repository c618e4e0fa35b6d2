// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.StructBlock;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.jspecify.annotations.Nullable;

/** An array of the result: the contents of its struct, and the addresses or writers of its buffers. */
final class Node {
  /**
   * A buffer of the source, or a buffer to write.
   *
   * @param at the address of a source's buffer; for a buffer to write, its offset in the allocation
   * @param bytes the size in bytes; for a source's buffer only if its layout exports the size
   * @param writer writes the buffer to the given address; null for a source's buffer
   */
  record Buffer(long at, long bytes, @Nullable LongConsumer writer) {
    /** No buffer: the bitmap of an array without nulls, or a buffer of an array without elements. */
    static final Buffer NONE = new Buffer(0, 0, null);
  }

  final Layout layout;
  final long length;
  long offset;
  long nulls;

  /** All buffers except the list of sizes in an array of views. */
  final List<Buffer> buffers = new ArrayList<>();

  final List<Node> children = new ArrayList<>();
  @Nullable Node dictionary;

  Node(Layout layout, long length) {
    this.layout = layout;
    this.length = length;
  }

  /** Returns the number of structs. */
  int structs() {
    int structs = 1;
    for (Node child : children) structs += child.structs();
    return dictionary == null ? structs : structs + dictionary.structs();
  }

  /** Returns the number of entries in their lists. */
  long entries() {
    long entries = StructBlock.entries(layout, buffers.size());
    for (Node child : children) entries += child.entries();
    return dictionary == null ? entries : entries + dictionary.entries();
  }

  /** Queues the writing of the buffers into an allocation that the CPU cannot access. */
  void queueBuffers(long base) {
    for (Buffer buffer : buffers) {
      if (buffer.writer != null) buffer.writer.accept(base + buffer.at);
    }
    for (Node child : children) child.queueBuffers(base);
    if (dictionary != null) dictionary.queueBuffers(base);
  }

  /** Writes the buffers into an allocation, and zeroes the space up to the next buffer. */
  void writeBuffers(long base) {
    for (Buffer buffer : buffers) {
      if (buffer.writer == null) continue;
      buffer.writer.accept(base + buffer.at);
      long end = base + buffer.at + buffer.bytes;
      NativeHeap.fill(end, -(buffer.at + buffer.bytes) & (ConversionPlan.ALIGNMENT - 1), (byte) 0);
    }
    for (Node child : children) child.writeBuffers(base);
    if (dictionary != null) dictionary.writeBuffers(base);
  }

  /**
   * Writes the structs.
   *
   * @param base the address of the allocation
   * @param nothing the address of eight zero bytes, for buffers without elements (ARR-08) and for the offsets of empty
   *     arrays; 0 leaves these pointers NULL
   */
  long writeStructs(StructBlock block, long base, long nothing) {
    long node = block.node(layout, length, nulls, offset, buffers.size());
    for (int i = 0; i < buffers.size(); i++) {
      Buffer buffer = buffers.get(i);
      boolean mayBeNull = i == 0 && layout.shape.hasValidity;
      long pointer = buffer.writer != null ? base + buffer.at : buffer.at != 0 || mayBeNull ? buffer.at : nothing;
      StructBlock.setBuffer(layout, node, i, pointer, buffer.bytes);
    }
    for (int i = 0; i < children.size(); i++)
      RawArrowArray.setChild(node, i, children.get(i).writeStructs(block, base, nothing));
    if (dictionary != null) RawArrowArray.setDictionary(node, dictionary.writeStructs(block, base, nothing));
    return node;
  }

  /** Adds a child; an error in it gets the child's name in its path. */
  void add(String name, Supplier<Node> child) {
    try {
      children.add(child.get());
    } catch (MalformedException e) {
      throw e.under(name);
    }
  }
}
