// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import org.arbalest.device.Device;

/**
 * The kinds of unified shared memory (the extension {@code cl_intel_unified_shared_memory}); see {@link
 * OpenCl#unifiedMemory(Device, UnifiedMemory)}.
 */
public enum UnifiedMemory {
  /** The device's own, which the CPU cannot reach. */
  DEVICE,
  /** Main memory, which the device reaches where it is. */
  HOST,
  /** Memory that moves to whoever uses it, the CPU or the device. */
  SHARED
}
