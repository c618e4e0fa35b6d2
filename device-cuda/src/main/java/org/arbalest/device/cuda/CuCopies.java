// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.spi.CopyBatch;

/** Copies of many pieces in one call; see {@link Cu}. */
final class CuCopies {
  /** One {@code CUmemcpyAttributes}: {@code CU_MEMCPY_SRC_ACCESS_ORDER_STREAM} and no hints. */
  private static final MemorySegment ATTRIBUTES = Arena.global().allocate(24, 8);

  /** The index of the first copy that {@link #ATTRIBUTES} is for. */
  private static final MemorySegment FIRST = Arena.global().allocate(JAVA_LONG);

  static {
    ATTRIBUTES.set(JAVA_INT, 0, 1);
  }

  private CuCopies() {}

  /** Returns whether the driver has one of the two functions. */
  static boolean copiesBatches() {
    return CuLibrary.has(Cu.MEMCPY_BATCH_ASYNC_V2.name()) || CuLibrary.has(Cu.MEMCPY_BATCH_ASYNC.name());
  }

  /**
   * Queues a batch in as few calls as possible, and returns the driver's code. The stream must not be the legacy
   * default stream.
   *
   * <p>If the driver has neither function, the code is {@link Cu#NOT_SUPPORTED}, and nothing was queued.
   */
  static int memcpyBatchAsync(CopyBatch batch, long stream) {
    int code = Cu.SUCCESS;
    for (int first = 0; first < batch.count() && code == Cu.SUCCESS; first += CopyBatch.MOST_AT_ONCE) {
      code = queue(batch, first, Math.min(batch.count() - first, CopyBatch.MOST_AT_ONCE), stream);
    }
    return code;
  }

  /** Queues a part of a batch in one call. The older function also reports which copy failed. */
  private static int queue(CopyBatch batch, int first, long count, long stream) {
    long targets = batch.targets() + (long) Long.BYTES * first;
    long sources = batch.sources() + (long) Long.BYTES * first;
    long sizes = batch.sizes() + (long) Long.BYTES * first;
    long failed = Cu.scratch().address();
    int code =
        Cu.MEMCPY_BATCH_ASYNC_V2.call(targets, sources, sizes, count, ATTRIBUTES.address(), FIRST.address(), 1, stream);
    if (code != Cu.NOT_SUPPORTED) return code;
    return Cu.MEMCPY_BATCH_ASYNC.call(targets, sources, sizes, count, ATTRIBUTES.address(), FIRST.address(), 1, failed,
        stream);
  }
}
