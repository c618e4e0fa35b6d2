// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Field;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Malformed;
import org.jspecify.annotations.Nullable;

/**
 * What a concatenation is made of: the pieces of one allocation, and who writes them. Measuring looks at offsets, views, type ids and runs, and at no
 * more of the inputs than is shown; where they lead beyond what there is, the array is {@link Malformed}.
 */
final class ConcatPlan {
  private static final long ALIGNMENT = 64;

  /** A buffer of the result: where in the allocation, how many bytes, and who writes them when he is told the address. */
  record Piece(long at, long bytes, LongConsumer writer) {}

  /** An array of the result. */
  static final class Node {
    final String name;
    final long length;
    final long nulls;
    final List<@Nullable Piece> buffers = new ArrayList<>();
    final List<Node> children = new ArrayList<>();
    @Nullable Node dictionary;

    Node(String name, long length, long nulls) {
      this.name = name;
      this.length = length;
      this.nulls = nulls;
    }
  }

  private final Ownership[] owners;

  /** The input that is looked at. */
  private int input;

  /** The size of the allocation. */
  private long total;

  ConcatPlan(Ownership[] owners) {
    this.owners = owners;
  }

  /** Which input was looked at last; the one that does not fit, if any. */
  int input() {
    return input;
  }

  long total() {
    return total;
  }

  Ownership owner(int of) {
    return owners[of];
  }

  /** Does something for each input of which there are elements. */
  void each(Parts parts, IntConsumer action) {
    for (int i = 0; i < owners.length; i++) {
      if (parts.counts[i] == 0) continue;
      input = i;
      action.accept(i);
    }
  }

  /** A piece behind the others; of no bytes, it is still somewhere (ARR-08). */
  Piece piece(long bytes, LongConsumer writer) {
    if (bytes > Layout.MOST_BYTES - total) throw new Malformed(bytes + " bytes beside " + total + " others are more than memory has");
    Piece piece = new Piece(total, bytes, writer);
    total = (total + bytes + ALIGNMENT - 1) & -ALIGNMENT;
    return piece;
  }

  /** Measures an array of the result and those below it. */
  Node measure(String name, Field field, Parts parts) {
    Layout layout = Layout.of(field);
    long length = place(layout, parts);
    Node node = new Node(name, length, layout.shape == Layout.Shape.NULL ? length : nulls(layout, parts));
    if (layout.shape.hasValidity) node.buffers.add(node.nulls == 0 ? null : validity(parts, length));
    switch (layout.shape) {
      case NULL -> {}
      case FIXED -> {
        if (layout.dictionary == null) {
          node.buffers.add(values(parts, 1, layout.bits, length));
        } else {
          ConcatDictionary.measure(this, node, field, parts);
        }
      }
      case VARIABLE -> ConcatOffsets.variable(this, node, layout, parts);
      case VIEW -> ConcatViews.measure(this, node, parts);
      case LIST -> ConcatOffsets.list(this, node, layout, parts);
      case LIST_VIEW -> ConcatNested.listView(this, node, layout, parts);
      case STRUCT, FIXED_LIST -> rows(node, layout, parts);
      case SPARSE_UNION -> {
        node.buffers.add(piece(length, to -> each(parts, i -> copy(parts, i, parts.buffer(i, Positions.surplus(layout, parts.structs[i])), 1, to))));
        rows(node, layout, parts);
      }
      case DENSE_UNION -> ConcatNested.denseUnion(this, node, field, parts);
      case RUN_END -> ConcatNested.runs(this, node, layout, parts);
    }
    return node;
  }

  /** Measures a child. */
  void child(Node parent, FieldImpl field, Parts parts) {
    try {
      parent.children.add(measure(field.name(), field, parts));
    } catch (Malformed e) {
      throw e.under(field.name());
    }
  }

  /** Finds each input's place in the result; returns how many elements that has. */
  private long place(Layout layout, Parts parts) {
    long[] length = {0};
    each(parts, i -> {
      if (parts.counts[i] > layout.most - length[0]) {
        throw new Malformed(length[0] + " + " + parts.counts[i] + " elements of type " + layout.kind() + " are more than memory has bytes for");
      }
      parts.at[i] = length[0];
      length[0] += parts.counts[i];
    });
    return length[0];
  }

  private long nulls(Layout layout, Parts parts) {
    long[] nulls = {0};
    if (layout.shape.hasValidity) {
      each(parts, i -> {
        long validity = parts.buffer(i, 0);
        if (validity == 0 || ArrowArrayStruct.nullCount(parts.structs[i]) == 0) return;
        long own = parts.counts[i] - Bitmaps.countOnes(validity, parts.starts[i], parts.counts[i]);
        if (own > 0) parts.validity[i] = validity;
        nulls[0] += own;
      });
    }
    return nulls[0];
  }

  private Piece validity(Parts parts, long length) {
    long bytes = (length + 7) >>> 3;
    return piece(bytes, to -> {
      NativeHeap.fill(to, bytes, (byte) 0);
      each(parts, i -> {
        if (parts.validity[i] == 0) {
          Bitmaps.setAll(to, parts.at[i], parts.counts[i]);
        } else {
          Bitmaps.copy(parts.validity[i], parts.starts[i], to, parts.at[i], parts.counts[i]);
        }
      });
    });
  }

  /** Values of {@code bits} each, from a buffer of each input, as they are. */
  Piece values(Parts parts, int buffer, long bits, long length) {
    long bytes = (length * bits + 7) >>> 3;
    if (bits != 1) return piece(bytes, to -> each(parts, i -> copy(parts, i, parts.buffer(i, buffer), bits >>> 3, to)));
    return piece(bytes, to -> {
      NativeHeap.fill(to, bytes, (byte) 0);
      each(parts, i -> Bitmaps.copy(parts.buffer(i, buffer), parts.starts[i], to, parts.at[i], parts.counts[i]));
    });
  }

  static void copy(Parts parts, int input, long from, long width, long to) {
    NativeHeap.copy(from + parts.starts[input] * width, to + parts.at[input] * width, parts.counts[input] * width);
  }

  /** Children whose elements are found by the parent's position. */
  private void rows(Node node, Layout layout, Parts parts) {
    for (int c = 0; c < layout.children.length; c++) {
      Parts below = parts.children(c);
      each(parts, i -> {
        long child = below.structs[i];
        below.set(i, Positions.childStart(layout, child, parts.starts[i]), Positions.childLength(layout, child, parts.counts[i]));
      });
      child(node, layout.children[c], below);
    }
  }

  /** Writes what was measured into an allocation, zeroes between the pieces included. */
  void write(Node node, long base) {
    for (Piece piece : node.buffers) {
      if (piece == null) continue;
      piece.writer.accept(base + piece.at);
      long end = piece.at + piece.bytes;
      NativeHeap.fill(base + end, -end & (ALIGNMENT - 1), (byte) 0);
    }
    for (Node child : node.children) write(child, base, child.name);
    if (node.dictionary != null) write(node.dictionary, base, Malformed.DICTIONARY);
  }

  private void write(Node node, long base, String name) {
    try {
      write(node, base);
    } catch (Malformed e) {
      throw e.under(name);
    }
  }

  /** The result's parts: slices of the allocation, which are added to a list as well. */
  static ArrayData data(Node node, DeviceBuffer memory, List<DeviceBuffer> slices) {
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    for (Piece piece : node.buffers) {
      if (piece != null) slices.add(memory.slice(piece.at, piece.bytes));
      buffers.add(piece == null ? null : slices.getLast());
    }
    List<ArrayData> children = new ArrayList<>();
    for (Node child : node.children) children.add(data(child, memory, slices));
    ArrayData dictionary = node.dictionary == null ? null : data(node.dictionary, memory, slices);
    return new ArrayData(node.length, node.nulls, 0, buffers, children, dictionary);
  }
}
