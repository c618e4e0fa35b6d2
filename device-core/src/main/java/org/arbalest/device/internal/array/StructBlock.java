// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.ViewStruct;

/**
 * A block of memory with the structs of an array and the arrays below it, followed by their lists. The user takes
 * structs and lists one by one.
 */
public final class StructBlock {
  /** The address of the first struct, which is the array. The owner of the block frees it by this address. */
  public final long address;

  private final long lists;
  private final long end;
  private long nextNode;
  private long nextList;

  /** Allocates memory for a number of structs, and for the entries of all lists. */
  public StructBlock(int nodes, long entries) {
    long structs = RawArrowArray.SIZE * nodes;
    long bytes = structs + Long.BYTES * entries;
    address = NativeHeap.allocate(bytes);
    lists = address + structs;
    end = address + bytes;
    nextNode = address;
    nextList = lists;
  }

  /** Returns how many entries the lists of a struct have. */
  public static long entries(Layout layout, long buffers) {
    boolean isView = layout.shape == Layout.Shape.VIEW;
    // of a view, the pointer to the list of sizes, and the list
    long sizes = isView ? 1 + buffers - 2 : layout.shape == Layout.Shape.VARIABLE ? 1 : 0;
    return buffers + sizes + layout.children.length;
  }

  /**
   * Takes the next struct, and lists for its buffers and children. The struct has no dictionary. It is live, but native
   * code never releases it: its memory is freed with the block.
   *
   * @param buffers the number of buffers, without the list of sizes that a view array has
   */
  public long node(Layout layout, long length, long nullCount, long offset, int buffers) {
    long node = nextStruct();
    boolean isView = layout.shape == Layout.Shape.VIEW;
    int listed = isView ? buffers + 1 : buffers;
    int children = layout.children.length;
    RawArrowArray.setLength(node, length);
    RawArrowArray.setNullCount(node, nullCount);
    RawArrowArray.setOffset(node, offset);
    RawArrowArray.setNBuffers(node, listed);
    RawArrowArray.setBuffers(node, listed == 0 ? 0 : list(listed));
    if (isView) RawArrowArray.setBuffer(node, buffers, list(buffers - 2L));
    if (layout.shape == Layout.Shape.VARIABLE) list(1); // for the size of the data, which Ownership.dataSize reads
    RawArrowArray.setNChildren(node, children);
    RawArrowArray.setChildren(node, children == 0 ? 0 : list(children));
    RawArrowArray.setDictionary(node, 0);
    RawArrowArray.setPrivateData(node, 0);
    RawArrowArray.setRelease(node, ArrayRelease.Callback.ADDRESS);
    return node;
  }

  /**
   * Takes the next struct, as a copy of another one. It refers to the lists of buffers and children of that one, which
   * must exist as long as this block. It is live, but native code never releases it.
   */
  public long copy(long struct) {
    long node = nextStruct();
    NativeHeap.copy(struct, node, RawArrowArray.SIZE);
    RawArrowArray.setPrivateData(node, 0);
    RawArrowArray.setRelease(node, ArrayRelease.Callback.ADDRESS);
    return node;
  }

  private long nextStruct() {
    long node = nextNode;
    nextNode += RawArrowArray.SIZE;
    if (nextNode > lists) throw new IllegalStateException("the block has more structs than were counted");
    return node;
  }

  /**
   * Writes a buffer's address, and its size if the struct stores one. A data buffer of views is never NULL, even with 0
   * bytes (ARR-08).
   */
  public static void setBuffer(Layout layout, long node, int index, long address, long bytes) {
    boolean isVariadic = layout.shape == Layout.Shape.VIEW && index >= 2;
    RawArrowArray.setBuffer(node, index, isVariadic && address == 0 ? RawArrowArray.buffer(node, 1) : address);
    if (isVariadic) NativeHeap.putLong(ViewStruct.sizes(node) + Long.BYTES * (index - 2L), bytes);
    if (layout.shape == Layout.Shape.VARIABLE && index == 2)
      NativeHeap.putLong(RawArrowArray.buffers(node) + 3 * Long.BYTES, bytes);
  }

  /** Takes the next list. */
  public long list(long entries) {
    long list = nextList;
    nextList += Long.BYTES * entries;
    if (nextList > end) throw new IllegalStateException("the lists have more entries than were counted");
    return list;
  }
}
