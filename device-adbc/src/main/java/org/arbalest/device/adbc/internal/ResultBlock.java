// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.ArrowArrayStruct;

/** The native memory of a result: its stream, a pulled array, a status. Later results reuse it. */
final class ResultBlock {
  private static final ConcurrentLinkedQueue<ResultBlock> FREE = new ConcurrentLinkedQueue<>();

  /** An {@code ArrowArrayStream}. */
  final MemorySegment stream;

  /** An {@code ArrowArray}, or the smaller {@code ArrowSchema}. */
  final MemorySegment out;

  /** Eight bytes for an {@code AdbcStatusCode} or an {@code int64_t}. */
  final MemorySegment number;

  private ResultBlock() {
    long streamBytes = ArrowArrayStreamStruct.LAYOUT.byteSize();
    long outBytes = ArrowArrayStruct.LAYOUT.byteSize();
    MemorySegment block = Arena.global().allocate(streamBytes + outBytes + Long.BYTES, Long.BYTES);
    stream = block.asSlice(0, streamBytes);
    out = block.asSlice(streamBytes, outBytes);
    number = block.asSlice(streamBytes + outBytes, Long.BYTES);
  }

  /**
   * Returns a block with a stream, an array and a number that are all zero; the caller returns it with {@link
   * #giveBack}.
   */
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
