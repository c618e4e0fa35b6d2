// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.cuda.check.CudaCheck;
import org.arbalest.support.check.CopyBenchmark;

/** Copies to a CUDA device and back, beside {@code cuMemcpyAsync}. */
public class CudaCopy extends CopyBenchmark {
  /** For JMH. */
  public CudaCopy() {
    super(CudaCheck.INSTANCE);
  }
}
