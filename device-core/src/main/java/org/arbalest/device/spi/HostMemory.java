// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;

/**
 * Memory that the CPU reads and writes, and that a device reaches directly: pinned pages, or memory that both share.
 *
 * @param type what arrays in it are said to be on, such as {@link DeviceType#CUDA_HOST}; its devices have the same ids
 * @param allocator where it comes from
 */
public record HostMemory(DeviceType type, MemoryAllocator allocator) {}
