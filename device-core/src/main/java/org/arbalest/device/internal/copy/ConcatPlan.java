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
 * The content of a concatenation: its buffers in one allocation, and the code that writes each of them.
 *
 * <p>Measuring reads offsets, views, type ids and runs, and only the visible part of the inputs. If they lead outside
 * the existing data, it throws a {@link MalformedException}.
 */
final class ConcatPlan {
  private static final long ALIGNMENT = 64;

  /**
   * A buffer of the result: its offset in the allocation, its size in bytes, and the code that writes it to an address.
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

  /** The treatment of the dictionaries of the inputs. */
  enum Dictionaries {
    /** Those that cannot be united are appended to each other. */
    APPENDED,
    /** Those that cannot be united are an error. */
    UNITED,
    /** The only input keeps all values, also those that no row has. */
    WHOLE
  }

  private final Ownership[] owners;

  final Dictionaries dictionaries;

  /** The index of the array that is being read. */
  private int input;

  /** The size of the allocation in bytes. */
  private long total;

  ConcatPlan(Ownership[] owners, Dictionaries dictionaries) {
    this.owners = owners;
    this.dictionaries = dictionaries;
  }

  /** Returns the index of the array that was read last. After a failure, it is the array that does not fit. */
  int input() {
    return input;
  }

  /** Makes the array of an input the one that was read last. */
  void reads(ConcatInputs inputs, int of) {
    input = inputs.origins[of];
  }

  long total() {
    return total;
  }

  /** Returns the owner of an input. */
  Ownership owner(ConcatInputs inputs, int of) {
    return owners[inputs.origins[of]];
  }

  /** Runs an action for each input that has elements. */
  void each(ConcatInputs inputs, IntConsumer action) {
    for (int i = 0; i < inputs.structs.length; i++) {
      if (inputs.counts[i] == 0) continue;
      input = inputs.origins[i];
      action.accept(i);
    }
  }

  /** Adds a buffer after the others. A buffer of 0 bytes also has an address (ARR-08). */
  Buffer buffer(long bytes, LongConsumer writer) {
    if (bytes > Layout.MOST_BYTES - total)
      throw new MalformedException(bytes + " bytes beside " + total + " others do not fit in memory");
    Buffer buffer = new Buffer(total, bytes, writer);
    total = (total + bytes + ALIGNMENT - 1) & -ALIGNMENT;
    return buffer;
  }

  /** Measures an array of the result and its children. */
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

  /** Sets each input's position in the result. Returns the number of elements of the result. */
  private long place(Layout layout, ConcatInputs inputs) {
    long[] length = {0};
    each(inputs, i -> {
      if (inputs.counts[i] > layout.most - length[0]) {
        throw new MalformedException(length[0] + " + " + inputs.counts[i] + " elements of type " + layout.kind()
            + " do not fit in memory");
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

  /** Adds a buffer with values of {@code bits} bits, which are copied unchanged from a buffer of each input. */
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

  /** Measures children whose elements are found by the parent's position. */
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

  /** Writes the measured buffers into an allocation, and zeroes the gaps between them. */
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

  /** Returns the result's parts as slices of the allocation. Also adds the slices to a list. */
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
