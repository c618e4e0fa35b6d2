// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.ArrowArrayStruct;

/** What a result needs of native memory: its stream, an array that is pulled, a status. Used again by later results. */
final class ResultBlock {
  private static final ConcurrentLinkedQueue<ResultBlock> FREE = new ConcurrentLinkedQueue<>();

  /** An {@code ArrowArrayStream}. */
  final MemorySegment stream;

  /** An {@code ArrowArray}; or, which is smaller, an {@code ArrowSchema}. */
  final MemorySegment out;

  /** A few bytes for an {@code AdbcStatusCode} or an {@code int64_t}. */
  final MemorySegment number;

  private ResultBlock() {
    long streamBytes = ArrowArrayStreamStruct.LAYOUT.byteSize();
    long outBytes = ArrowArrayStruct.LAYOUT.byteSize();
    MemorySegment block = Arena.global().allocate(streamBytes + outBytes + Long.BYTES, Long.BYTES);
    stream = block.asSlice(0, streamBytes);
    out = block.asSlice(streamBytes, outBytes);
    number = block.asSlice(streamBytes + outBytes, Long.BYTES);
  }

  /** A block with a stream, an array and a number that are all zero, for the caller to give back. */
  static ResultBlock take() {
    ResultBlock block = FREE.poll();
    if (block == null) return new ResultBlock();
    block.stream.fill((byte) 0);
    block.out.fill((byte) 0);
    block.number.fill((byte) 0);
    return block;
  }

  void giveBack() {
    FREE.add(this);
  }
}
