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

/** An array of the result: what its struct will say, and where its buffers are, or who writes them. */
final class Node {
  /**
   * A buffer: the source's, or one that is to be written.
   *
   * @param at its address, or, if there is a writer, where it is in the allocation
   * @param bytes how many it has; of the source's own, only those that say their size have one
   * @param writer writes it when told the address; null if it is the source's
   */
  record Buffer(long at, long bytes, @Nullable LongConsumer writer) {
    /** No buffer: a bitmap of an array without nulls, or what has no elements. */
    static final Buffer NONE = new Buffer(0, 0, null);
  }

  final Layout layout;
  final long length;
  long offset;
  long nulls;

  /** Without the list of sizes that arrays of views have. */
  final List<Buffer> buffers = new ArrayList<>();

  final List<Node> children = new ArrayList<>();
  @Nullable Node dictionary;

  Node(Layout layout, long length) {
    this.layout = layout;
    this.length = length;
  }

  /** How many structs these are. */
  int structs() {
    int structs = 1;
    for (Node child : children) structs += child.structs();
    return dictionary == null ? structs : structs + dictionary.structs();
  }

  /** How many entries their lists have. */
  long entries() {
    long entries = StructBlock.entries(layout, buffers.size());
    for (Node child : children) entries += child.entries();
    return dictionary == null ? entries : entries + dictionary.entries();
  }

  /** Writes the buffers that are to be written, and zeroes up to the next, into an allocation. */
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
   * @param base the allocation
   * @param nothing eight zeroes, for buffers without elements (ARR-08), and the offsets of such arrays; 0 leaves them
   *     out
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

  /** Adds a child; what is wrong with it is below its name. */
  void add(String name, Supplier<Node> child) {
    try {
      children.add(child.get());
    } catch (MalformedException e) {
      throw e.under(name);
    }
  }
}
