// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import org.arbalest.device.Device;

/**
 * A kind of unified shared memory (the extension {@code cl_intel_unified_shared_memory}); see
 * {@link OpenCl#unifiedMemory(Device, UnifiedMemory)}.
 */
public enum UnifiedMemory {
  /** The device's own memory, which the CPU cannot access. */
  DEVICE,
  /** Main memory, which the device accesses in place. */
  HOST,
  /** Memory that moves to its user, the CPU or the device. */
  SHARED
}
