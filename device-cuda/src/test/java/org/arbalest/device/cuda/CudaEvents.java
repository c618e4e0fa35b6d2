// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.cuda.check.CudaCheck;
import org.arbalest.support.check.EventBenchmark;

/** A batch across the C interface, and waits for a CUDA device. */
public class CudaEvents extends EventBenchmark {
  /** For JMH. */
  public CudaEvents() {
    super(CudaCheck.INSTANCE);
  }
}
