// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Field;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Writes the structs of an array that consists of buffers of ours. */
final class StructWriter {
  private final StructBlock block;

  private StructWriter(StructBlock block) {
    this.block = block;
  }

  /** One that has the memory for all structs of an array; the caller frees it. */
  static StructWriter of(Field field, ArrayData data) {
    Layout layout = Layout.of(field);
    int nodes = 1 + layout.descendants;
    return new StructWriter(new StructBlock(nodes, nodes + listEntries(layout, data)));
  }

  private static long listEntries(Layout layout, ArrayData data) {
    long entries = data.buffers().size();
    if (layout.shape == Layout.Shape.VIEW) entries += 1 + variadic(data);
    if (layout.shape == Layout.Shape.VARIABLE) entries++;
    for (int i = 0; i < layout.children.length; i++) entries += listEntries(layout.children[i].layout, data.children().get(i));
    ArrayData values = data.dictionary();
    return layout.dictionary == null || values == null ? entries : entries + listEntries(layout.dictionary.layout, values);
  }

  private static int variadic(ArrayData data) {
    return Math.max(0, data.buffers().size() - 2);
  }

  /** The memory, which begins with the array's own struct. */
  long block() {
    return block.address;
  }

  /** Writes all structs. */
  void write(Field field, ArrayData data) {
    write(Layout.of(field), data);
  }

  private long write(Layout layout, ArrayData data) {
    long node = block.node();
    ArrowArrayStruct.setLength(node, data.length());
    ArrowArrayStruct.setNullCount(node, data.nullCount());
    ArrowArrayStruct.setOffset(node, data.offset());
    writeBuffers(layout, data, node);
    int children = data.children().size();
    ArrowArrayStruct.setNChildren(node, children);
    ArrowArrayStruct.setChildren(node, children == 0 ? 0 : block.list(children));
    for (int i = 0; i < children; i++) {
      ArrowArrayStruct.setChild(node, i, write(layout.children[i].layout, data.children().get(i)));
    }
    Field dictionary = layout.dictionary;
    ArrayData values = data.dictionary();
    ArrowArrayStruct.setDictionary(node, dictionary == null || values == null ? 0 : write(Layout.of(dictionary), values));
    StructBlock.makeLive(node);
    return node;
  }

  private void writeBuffers(Layout layout, ArrayData data, long node) {
    boolean view = layout.shape == Layout.Shape.VIEW;
    int count = data.buffers().size() + (view ? 1 : 0);
    ArrowArrayStruct.setNBuffers(node, count);
    ArrowArrayStruct.setBuffers(node, count == 0 ? 0 : block.list(count));
    for (int i = 0; i < data.buffers().size(); i++) {
      ArrowArrayStruct.setBuffer(node, i, pointer(data.buffers().get(i)));
    }
    if (view) writeVariadic(data, node);
    DeviceBuffer last = count == 0 ? null : data.buffers().getLast();
    if (layout.shape == Layout.Shape.VARIABLE) NativeHeap.putLong(block.list(1), last == null ? 0 : last.size());
  }

  /** The sizes of the data buffers, and for one that there is not, which has no bytes, an address that is not NULL (ARR-08). */
  private void writeVariadic(ArrayData data, long node) {
    for (int i = 2; i < data.buffers().size(); i++) {
      if (data.buffers().get(i) == null) ArrowArrayStruct.setBuffer(node, i, ArrowArrayStruct.buffer(node, 1));
    }
    ArrowArrayStruct.setBuffer(node, data.buffers().size(), sizes(data));
  }

  private long sizes(ArrayData data) {
    long sizes = block.list(variadic(data));
    for (int i = 0; i < variadic(data); i++) {
      DeviceBuffer buffer = data.buffers().get(2 + i);
      NativeHeap.putLong(sizes + (long) Long.BYTES * i, buffer == null ? 0 : buffer.size());
    }
    return sizes;
  }

  private static long pointer(@Nullable DeviceBuffer buffer) {
    return buffer == null ? 0 : DeviceBufferImpl.unwrap(buffer).pointer();
  }
}
