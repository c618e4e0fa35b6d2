// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import org.arbalest.device.MemoryManager;
import org.arbalest.device.MeteredMemory;

/**
 * The allocations from a {@link MeteredMemory}, for a monitor. {@link MXBeanRegistration#of(MeteredMemory, String)}
 * registers the bean.
 */
public interface MeteredMemoryMXBean {
  /** Returns the name of the memory's device. */
  String getDevice();

  /** Returns {@link MeteredMemory#statistics}. */
  MeteredMemory.Statistics getStatistics();

  /** Returns {@link MemoryManager#keptBytes}. */
  long getKeptBytes();

  /** Resets the peak; see {@link MeteredMemory#resetPeak}. */
  void resetPeak();

  /** Releases cached memory; see {@link MemoryManager#trim}. */
  void trim();
}
