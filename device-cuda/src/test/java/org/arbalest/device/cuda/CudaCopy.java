// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.cuda.check.CudaCheck;
import org.arbalest.support.check.CopyBenchmark;

/** Benchmarks of copies to a CUDA device and back, compared with {@code cuMemcpyAsync}. */
public class CudaCopy extends CopyBenchmark {
  /** Creates the benchmarks, for JMH. */
  public CudaCopy() {
    super(CudaCheck.INSTANCE);
  }
}
