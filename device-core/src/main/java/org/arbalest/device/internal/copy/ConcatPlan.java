// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * What a concatenation is made of: the buffers in one allocation, and who writes them. Measuring looks at offsets,
 * views, type ids and runs, and at no more of the inputs than is shown; where they lead beyond what there is, the array
 * is {@link MalformedException}.
 */
final class ConcatPlan {
  private static final long ALIGNMENT = 64;

  /**
   * A buffer of the result: where in the allocation, how many bytes, and who writes them when he is told the address.
   */
  record Buffer(long at, long bytes, LongConsumer writer) {}

  /** An array of the result. */
  static final class Node {
    final String name;
    final long length;
    final long nulls;
    final List<@Nullable Buffer> buffers = new ArrayList<>();
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
  void each(ConcatInputs inputs, IntConsumer action) {
    for (int i = 0; i < owners.length; i++) {
      if (inputs.counts[i] == 0) continue;
      input = i;
      action.accept(i);
    }
  }

  /** A buffer behind the others; of no bytes, it is still somewhere (ARR-08). */
  Buffer buffer(long bytes, LongConsumer writer) {
    if (bytes > Layout.MOST_BYTES - total)
      throw new MalformedException(bytes + " bytes beside " + total + " others are more than memory has");
    Buffer buffer = new Buffer(total, bytes, writer);
    total = (total + bytes + ALIGNMENT - 1) & -ALIGNMENT;
    return buffer;
  }

  /** Measures an array of the result and those below it. */
  Node measure(String name, Field field, ConcatInputs inputs) {
    Layout layout = Layout.of(field);
    long length = place(layout, inputs);
    Node node = new Node(name, length, layout.shape == Layout.Shape.NULL ? length : nulls(layout, inputs));
    if (layout.shape.hasValidity) node.buffers.add(node.nulls == 0 ? null : validity(inputs, length));
    switch (layout.shape) {
      case NULL -> {}
      case FIXED -> {
        if (layout.dictionary == null) {
          node.buffers.add(values(inputs, 1, layout.bits, length));
        } else {
          ConcatDictionary.measure(this, node, field, inputs);
        }
      }
      case VARIABLE -> ConcatOffsets.variable(this, node, layout, inputs);
      case VIEW -> ConcatViews.measure(this, node, inputs);
      case LIST -> ConcatOffsets.list(this, node, layout, inputs);
      case LIST_VIEW -> ConcatNested.listView(this, node, layout, inputs);
      case STRUCT, FIXED_LIST -> rows(node, layout, inputs);
      case SPARSE_UNION -> {
        node.buffers.add(buffer(length, to -> each(inputs,
            i -> copy(inputs, i, inputs.buffer(i, Positions.surplus(layout, inputs.structs[i])), 1, to))));
        rows(node, layout, inputs);
      }
      case DENSE_UNION -> ConcatNested.denseUnion(this, node, field, inputs);
      case RUN_END -> ConcatNested.runs(this, node, layout, inputs);
    }
    return node;
  }

  /** Measures a child. */
  void child(Node parent, FieldImpl field, ConcatInputs inputs) {
    try {
      parent.children.add(measure(field.name(), field, inputs));
    } catch (MalformedException e) {
      throw e.under(field.name());
    }
  }

  /** Finds each input's place in the result; returns how many elements that has. */
  private long place(Layout layout, ConcatInputs inputs) {
    long[] length = {0};
    each(inputs, i -> {
      if (inputs.counts[i] > layout.most - length[0]) {
        throw new MalformedException(length[0] + " + " + inputs.counts[i] + " elements of type " + layout.kind()
            + " are more than memory has bytes for");
      }
      inputs.at[i] = length[0];
      length[0] += inputs.counts[i];
    });
    return length[0];
  }

  private long nulls(Layout layout, ConcatInputs inputs) {
    long[] nulls = {0};
    if (layout.shape.hasValidity) {
      each(inputs, i -> {
        long validity = inputs.buffer(i, 0);
        if (validity == 0 || RawArrowArray.nullCount(inputs.structs[i]) == 0) return;
        long own = inputs.counts[i] - Bitmaps.countOnes(validity, inputs.starts[i], inputs.counts[i]);
        if (own > 0) inputs.validity[i] = validity;
        nulls[0] += own;
      });
    }
    return nulls[0];
  }

  private Buffer validity(ConcatInputs inputs, long length) {
    long bytes = (length + 7) >>> 3;
    return buffer(bytes, to -> {
      NativeHeap.fill(to, bytes, (byte) 0);
      each(inputs, i -> {
        if (inputs.validity[i] == 0) {
          Bitmaps.setAll(to, inputs.at[i], inputs.counts[i]);
        } else {
          Bitmaps.copy(inputs.validity[i], inputs.starts[i], to, inputs.at[i], inputs.counts[i]);
        }
      });
    });
  }

  /** Values of {@code bits} each, from a buffer of each input, as they are. */
  Buffer values(ConcatInputs inputs, int buffer, long bits, long length) {
    long bytes = (length * bits + 7) >>> 3;
    if (bits != 1)
      return buffer(bytes, to -> each(inputs, i -> copy(inputs, i, inputs.buffer(i, buffer), bits >>> 3, to)));
    return buffer(bytes, to -> {
      NativeHeap.fill(to, bytes, (byte) 0);
      each(inputs, i -> Bitmaps.copy(inputs.buffer(i, buffer), inputs.starts[i], to, inputs.at[i], inputs.counts[i]));
    });
  }

  static void copy(ConcatInputs inputs, int input, long from, long width, long to) {
    NativeHeap.copy(from + inputs.starts[input] * width, to + inputs.at[input] * width, inputs.counts[input] * width);
  }

  /** Children whose elements are found by the parent's position. */
  private void rows(Node node, Layout layout, ConcatInputs inputs) {
    for (int c = 0; c < layout.children.length; c++) {
      ConcatInputs below = inputs.children(c);
      each(inputs, i -> {
        long child = below.structs[i];
        below.set(i, Positions.childStart(layout, child, inputs.starts[i]),
            Positions.childLength(layout, child, inputs.counts[i]));
      });
      child(node, layout.children[c], below);
    }
  }

  /** Writes what was measured into an allocation, zeroes between the buffers included. */
  void write(Node node, long base) {
    for (Buffer buffer : node.buffers) {
      if (buffer == null) continue;
      buffer.writer.accept(base + buffer.at);
      long end = buffer.at + buffer.bytes;
      NativeHeap.fill(base + end, -end & (ALIGNMENT - 1), (byte) 0);
    }
    for (Node child : node.children) write(child, base, child.name);
    if (node.dictionary != null) write(node.dictionary, base, MalformedException.DICTIONARY);
  }

  private void write(Node node, long base, String name) {
    try {
      write(node, base);
    } catch (MalformedException e) {
      throw e.under(name);
    }
  }

  /** The result's parts: slices of the allocation, which are added to a list as well. */
  static ArrayData data(Node node, DeviceBuffer memory, List<DeviceBuffer> slices) {
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    for (Buffer buffer : node.buffers) {
      if (buffer != null) slices.add(memory.slice(buffer.at, buffer.bytes));
      buffers.add(buffer == null ? null : slices.getLast());
    }
    List<ArrayData> children = new ArrayList<>();
    for (Node child : node.children) children.add(data(child, memory, slices));
    ArrayData dictionary = node.dictionary == null ? null : data(node.dictionary, memory, slices);
    return new ArrayData(node.length, node.nulls, 0, buffers, children, dictionary);
  }
}
