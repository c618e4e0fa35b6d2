// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.arbalest.device.spi.CopyBatch;

/** The driver API's functions that copy; see {@link Cu}. */
final class CuCopies {
  /** {@code CU_MEMCPY_SRC_ACCESS_ORDER_STREAM} and no hints: one {@code CUmemcpyAttributes}, and the index of the first copy that it is for. */
  private static final MemorySegment ATTRIBUTES = Arena.global().allocate(24, 8);

  private static final MemorySegment FIRST = Arena.global().allocate(JAVA_LONG);

  static {
    ATTRIBUTES.set(JAVA_INT, 0, 1);
  }

  private static final MethodHandle MEMCPY_ASYNC = Cu.function("cuMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEMCPY_PEER_ASYNC =
      Cu.function("cuMemcpyPeerAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /** From CUDA 13.0; 12.8 and 12.9 have it with one argument more, where it says which copy failed. */
  private static final MethodHandle MEMCPY_BATCH_ASYNC_V2 =
      Cu.optional("cuMemcpyBatchAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private static final MethodHandle MEMCPY_BATCH_ASYNC =
      Cu.optional("cuMemcpyBatchAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private CuCopies() {}

  static int memcpyAsync(long to, long from, long bytes, long stream) {
    try {
      return (int) MEMCPY_ASYNC.invokeExact(to, from, bytes, stream);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memcpyPeerAsync(long to, long toContext, long from, long fromContext, long bytes, long stream) {
    try {
      return (int) MEMCPY_PEER_ASYNC.invokeExact(to, toContext, from, fromContext, bytes, stream);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  /** Not in the legacy default stream. What an older driver lacks is {@link Cu#NOT_SUPPORTED}; then nothing was queued. */
  static int memcpyBatchAsync(CopyBatch batch, long stream) {
    long count = batch.count();
    long failed = Cu.scratch().address();
    try {
      int code = (int) MEMCPY_BATCH_ASYNC_V2.invokeExact(
          batch.targets(), batch.sources(), batch.sizes(), count, ATTRIBUTES.address(), FIRST.address(), 1L, stream);
      if (code != Cu.NOT_SUPPORTED) return code;
      return (int) MEMCPY_BATCH_ASYNC.invokeExact(
          batch.targets(), batch.sources(), batch.sizes(), count, ATTRIBUTES.address(), FIRST.address(), 1L, failed, stream);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }
}
