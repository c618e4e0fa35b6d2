// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Field;

/** Writes the structs of an array that consists of the library's own buffers. */
final class StructWriter {
  private final StructBlock block;

  private StructWriter(StructBlock block) {
    this.block = block;
  }

  /** Creates a writer with memory for all structs of an array. The caller frees the memory. */
  static StructWriter of(Field field, ArrayData data) {
    Layout layout = Layout.of(field);
    return new StructWriter(new StructBlock(1 + layout.descendants, listEntries(layout, data)));
  }

  private static long listEntries(Layout layout, ArrayData data) {
    long entries = StructBlock.entries(layout, data.buffers().size());
    for (int i = 0; i < layout.children.length; i++)
      entries += listEntries(layout.children[i].layout, data.children().get(i));
    ArrayData values = data.dictionary();
    return layout.dictionary == null || values == null ? entries
        : entries + listEntries(layout.dictionary.layout, values);
  }

  /** Returns the address of the memory, which begins with the array's own struct. */
  long block() {
    return block.address;
  }

  /** Writes all structs. */
  void write(Field field, ArrayData data) {
    write(Layout.of(field), data);
  }

  private long write(Layout layout, ArrayData data) {
    long node = block.node(layout, data.length(), data.nullCount(), data.offset(), data.buffers().size());
    for (int i = 0; i < data.buffers().size(); i++) {
      DeviceBuffer buffer = data.buffers().get(i);
      StructBlock.setBuffer(layout, node, i, buffer == null ? 0 : DeviceBufferImpl.unwrap(buffer).pointer(),
          buffer == null ? 0 : buffer.size());
    }
    for (int i = 0; i < layout.children.length; i++) {
      RawArrowArray.setChild(node, i, write(layout.children[i].layout, data.children().get(i)));
    }
    ArrayData values = data.dictionary();
    if (layout.dictionary != null && values != null)
      RawArrowArray.setDictionary(node, write(layout.dictionary.layout, values));
    return node;
  }
}
