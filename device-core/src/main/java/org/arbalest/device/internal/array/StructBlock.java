// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.memory.NativeHeap;

/** A block of memory with the structs that describe an array and those below it, and behind them their lists; both are taken one by one. */
public final class StructBlock {
  /** The first struct, which is the array; whoever has it frees the block by it. */
  public final long address;

  private final long lists;
  private final long end;
  private long nextNode;
  private long nextList;

  /** Room for so many structs, and entries in all lists. */
  public StructBlock(int nodes, long entries) {
    long structs = ArrowArrayStruct.SIZE * nodes;
    long bytes = structs + Long.BYTES * entries;
    address = NativeHeap.allocate(bytes);
    lists = address + structs;
    end = address + bytes;
    nextNode = address;
    nextList = lists;
  }

  /** The next struct. */
  public long node() {
    long node = nextNode;
    nextNode += ArrowArrayStruct.SIZE;
    assert nextNode <= lists : "more structs than there is room for";
    return node;
  }

  /** The next list. */
  public long list(long entries) {
    long list = nextList;
    nextList += Long.BYTES * entries;
    assert nextList <= end : "lists of more entries than there is room for";
    return list;
  }

  /** Makes a struct live whose memory is freed with the block, though never released through C. */
  public static void makeLive(long node) {
    ArrowArrayStruct.setPrivateData(node, 0);
    ArrowArrayStruct.setRelease(node, ArrayExport.RELEASE);
  }
}
