// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.memory.NativeHeap;

/** A block of memory with the structs that describe an array and those below it, and behind them their lists; both are taken one by one. */
public final class StructBlock {
  /** The first struct, which is the array; whoever has it frees the block by it. */
  public final long address;

  private long nextNode;
  private long nextList;

  /** Room for so many structs, and entries in all lists. */
  public StructBlock(int nodes, long entries) {
    long lists = ArrowArrayStruct.SIZE * nodes;
    address = NativeHeap.allocate(lists + Long.BYTES * entries);
    nextNode = address;
    nextList = address + lists;
  }

  /** The next struct. */
  public long node() {
    long node = nextNode;
    nextNode += ArrowArrayStruct.SIZE;
    return node;
  }

  /** The next list. */
  public long list(long entries) {
    long list = nextList;
    nextList += Long.BYTES * entries;
    return list;
  }

  /** Makes a struct live whose memory is freed with the block, though never released through C. */
  public static void makeLive(long node) {
    ArrowArrayStruct.setPrivateData(node, 0);
    ArrowArrayStruct.setRelease(node, ArrayExport.RELEASE);
  }
}
