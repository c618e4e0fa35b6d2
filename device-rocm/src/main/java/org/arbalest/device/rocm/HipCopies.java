// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;
import org.arbalest.device.spi.CopyBatch;

/** HIP's functions that copy; see {@link Hip}. */
final class HipCopies {
  /** By what the addresses are. */
  private static final int MEMCPY_DEFAULT = 4;

  private static final MethodHandle MEMCPY_ASYNC = Hip.function("hipMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);

  /** Its attributes are "not supported" by HIP, and left out. */
  private static final MethodHandle MEMCPY_BATCH_ASYNC =
      Hip.optional("hipMemcpyBatchAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private HipCopies() {}

  static int memcpyAsync(long to, long from, long bytes, long stream) {
    try {
      return (int) MEMCPY_ASYNC.invokeExact(to, from, bytes, MEMCPY_DEFAULT, stream);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  /** Not in the default stream. */
  static int memcpyBatchAsync(CopyBatch batch, long stream) {
    long count = batch.count();
    long failed = Hip.scratch().address();
    try {
      return (int) MEMCPY_BATCH_ASYNC.invokeExact(batch.targets(), batch.sources(), batch.sizes(), count, 0L, 0L, 0L, failed, stream);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }
}
