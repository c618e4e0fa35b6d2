// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.spi.CopyBatch;

/** Copies; see {@link Hip}. */
final class HipCopies {
  /** The kind of a copy that follows from its addresses. */
  private static final int MEMCPY_DEFAULT = 4;

  private HipCopies() {}

  static int memcpyAsync(long to, long from, long bytes, long stream) {
    return Hip.MEMCPY_ASYNC.call(to, from, bytes, MEMCPY_DEFAULT, stream);
  }

  /**
   * Queues a batch in one call, and returns HIP's code. The stream must not be the default stream. The attributes are
   * "not supported" by HIP, and left out.
   */
  static int memcpyBatchAsync(CopyBatch batch, long stream) {
    long count = batch.count();
    long failed = Hip.scratch().address();
    return Hip.MEMCPY_BATCH_ASYNC.call(batch.targets(), batch.sources(), batch.sizes(), count, 0, 0, 0, failed, stream);
  }
}
