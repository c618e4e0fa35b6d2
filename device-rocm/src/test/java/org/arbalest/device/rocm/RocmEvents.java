// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.rocm.check.RocmCheck;
import org.arbalest.support.check.EventBenchmark;

/** A batch across the C interface, and waits for a ROCm device. */
public class RocmEvents extends EventBenchmark {
  /** For JMH. */
  public RocmEvents() {
    super(RocmCheck.INSTANCE);
  }
}
