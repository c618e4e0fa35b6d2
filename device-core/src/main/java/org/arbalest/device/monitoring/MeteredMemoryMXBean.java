// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import org.arbalest.device.MemoryManager;
import org.arbalest.device.MeteredMemory;

/**
 * What was allocated from a {@link MeteredMemory}, for a monitor. {@link MXBeanRegistration#of(MeteredMemory, String)}
 * registers it.
 */
public interface MeteredMemoryMXBean {
  /** The device whose memory it is. */
  String getDevice();

  /** See {@link MeteredMemory.Statistics}. */
  MeteredMemory.Statistics getStatistics();

  /** See {@link MemoryManager#keptBytes}. */
  long getKeptBytes();

  /** See {@link MeteredMemory#resetPeak}. */
  void resetPeak();

  /** See {@link MemoryManager#trim}. */
  void trim();
}
