// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.sharing.SharedStruct.Extent;
import org.arbalest.device.spi.ProcessSharing.Shareable;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/**
 * The allocations of an exported array, and the position of each buffer in them. All of them are known before the first
 * one is exported.
 */
final class ExportedStructs {
  private final Ownership owner;
  private final ProcessSharing sharing;
  private final List<Shareable> memories = new ArrayList<>();

  ExportedStructs(Ownership owner, ProcessSharing sharing) {
    this.owner = owner;
    this.sharing = sharing;
  }

  SharedStruct struct(Layout layout, long node) {
    long length = RawArrowArray.length(node);
    long offset = RawArrowArray.offset(node);
    boolean isView = layout.shape == Layout.Shape.VIEW;
    int count = Math.toIntExact(RawArrowArray.nBuffers(node)) - (isView ? 1 : 0); // the last has sizes, in main memory
    List<@Nullable Extent> buffers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long address = RawArrowArray.buffer(node, i);
      long needed =
          isView && i >= 2 ? NativeHeap.getLong(RawArrowArray.buffer(node, count) + (long) Long.BYTES * (i - 2))
              : layout.bufferBytes(i, offset + length);
      boolean isData = layout.shape == Layout.Shape.VARIABLE && i == 2;
      buffers.add(address == 0 ? null : extent(address, isData ? owner.dataSize(node) : needed));
    }
    List<SharedStruct> children = new ArrayList<>();
    for (int i = 0; i < layout.children.length; i++)
      children.add(struct(layout.children[i].layout, RawArrowArray.child(node, i)));
    FieldImpl values = layout.dictionary;
    SharedStruct dictionary = values == null ? null : struct(values.layout, RawArrowArray.dictionary(node));
    return new SharedStruct(length, RawArrowArray.nullCount(node), offset, buffers, children, dictionary);
  }

  /** Exports the allocations of all structs that {@link #struct} has read. */
  List<Message.Memory> export() {
    List<Message.Memory> exported = new ArrayList<>();
    for (Shareable memory : memories) exported.add(new Message.Memory(memory.bytes(), sharing.export(memory)));
    return exported;
  }

  /** Returns the position of some bytes. If their size is unknown, they extend to the end of the allocation. */
  private @Nullable Extent extent(long address, long size) {
    int index = indexOf(address);
    // the address of 0 bytes may be anywhere
    if (index < 0 && size == 0) return memories.isEmpty() ? null : new Extent(0, 0, 0);
    if (index < 0) {
      Shareable found = sharing.prepare(address);
      index = memories.size();
      memories.add(found);
    }
    Shareable memory = memories.get(index);
    long offset = address - memory.base();
    long left = memory.bytes() - offset;
    return new Extent(index, offset, Math.min(size, left));
  }

  private int indexOf(long address) {
    for (int i = 0; i < memories.size(); i++) {
      Shareable memory = memories.get(i);
      if (address >= memory.base() && address - memory.base() < memory.bytes()) return i;
    }
    return -1;
  }
}
