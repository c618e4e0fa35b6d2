// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.rocm.check.RocmCheck;
import org.arbalest.support.check.CopyBenchmark;

/** Copies to a ROCm device and back, beside {@code hipMemcpyAsync}. */
public class RocmCopy extends CopyBenchmark {
  /** For JMH. */
  public RocmCopy() {
    super(RocmCheck.INSTANCE);
  }
}
