// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.rocm.check.RocmCheck;
import org.arbalest.support.check.EventBenchmark;

/** Benchmarks of a batch across the C interface, and of waits for a ROCm device. */
public class RocmEvents extends EventBenchmark {
  /** Creates the benchmarks, for JMH. */
  public RocmEvents() {
    super(RocmCheck.INSTANCE);
  }
}
