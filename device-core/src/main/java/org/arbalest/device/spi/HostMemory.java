// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;

/**
 * Memory that the CPU reads and writes, and that a device accesses directly: pinned pages, or memory that both share.
 *
 * @param type the device type of arrays in this memory, such as {@link DeviceType#CUDA_HOST}; its devices have the same
 *     ids
 * @param allocator the source of the memory
 */
public record HostMemory(DeviceType type, MemoryAllocator allocator) {}
