// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.rocm.check.RocmCheck;
import org.arbalest.support.check.CopyBenchmark;

/** Benchmarks of copies to a ROCm device and back, compared with {@code hipMemcpyAsync}. */
public class RocmCopy extends CopyBenchmark {
  /** Creates the benchmarks, for JMH. */
  public RocmCopy() {
    super(RocmCheck.INSTANCE);
  }
}
