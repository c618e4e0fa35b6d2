// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.cuda.check.CudaCheck;
import org.arbalest.support.check.EventBenchmark;

/** Benchmarks of a batch across the C interface, and of waits for a CUDA device. */
public class CudaEvents extends EventBenchmark {
  /** Creates the benchmarks, for JMH. */
  public CudaEvents() {
    super(CudaCheck.INSTANCE);
  }
}
