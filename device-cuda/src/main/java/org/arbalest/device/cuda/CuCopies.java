// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.spi.CopyBatch;

/** Copies by the driver's call for batches; see {@link Cu}. */
final class CuCopies {
  /**
   * The size in bytes up to which copies prefer to overlap with the work of kernels. Measured by
   * others on a GB300, a GB10 and an RTX PRO A6000 (rapidsai/rmm pull request 2511).
   */
  static final long OVERLAPPING = 128 << 10;

  /** One {@code CUmemcpyAttributes}: {@code CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}. */
  private static final MemorySegment ATTRIBUTES = attributes(0);

  /** The same, with {@code CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE}. */
  private static final MemorySegment ATTRIBUTES_OF_SMALL = attributes(1);

  /** The index of the first copy that the attributes are for. */
  private static final MemorySegment FIRST = Arena.global().allocate(JAVA_LONG);

  private CuCopies() {}

  private static MemorySegment attributes(int flags) {
    MemorySegment attributes = Arena.global().allocate(24, 8);
    attributes.set(JAVA_INT, 0, 1);
    attributes.set(JAVA_INT, 20, flags);
    return attributes;
  }

  /** Returns whether the driver is for CUDA 13, in which one copy is better as a batch. */
  static boolean copiesOneAsBatch() {
    return CuLibrary.has(Cu.MEMCPY_BATCH_ASYNC_V2.name());
  }

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
    long attributes = (isSmall(batch, first, count) ? ATTRIBUTES_OF_SMALL : ATTRIBUTES).address();
    int code = Cu.MEMCPY_BATCH_ASYNC_V2.call(targets, sources, sizes, count, attributes, FIRST.address(), 1, stream);
    if (code != Cu.NOT_SUPPORTED) return code;
    return Cu.MEMCPY_BATCH_ASYNC.call(targets, sources, sizes, count, ATTRIBUTES.address(), FIRST.address(), 1, failed,
        stream);
  }

  private static boolean isSmall(CopyBatch batch, int first, long count) {
    for (int i = first; i < first + count; i++) if (batch.bytes(i) > OVERLAPPING) return false;
    return true;
  }
}
