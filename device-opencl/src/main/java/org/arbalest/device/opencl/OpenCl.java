// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.types.Schema;

/**
 * What OpenCL programs need to know of our devices: raw handles, which are borrowed and live as long as the process.
 */
public final class OpenCl {
  private OpenCl() {}

  /**
   * The {@code cl_context} that an OpenCL device works in: kernels, queues and events that are to work on our memory
   * are made in it.
   *
   * @throws IllegalArgumentException if the device is not an OpenCL one
   */
  public static long context(Device device) {
    return OpenClProvider.driver(device).context();
  }

  /** The {@code cl_device_id}; see {@link #context}. */
  public static long deviceId(Device device) {
    return OpenClProvider.driver(device).device().id();
  }

  /** The {@code cl_platform_id}; see {@link #context}. */
  public static long platform(Device device) {
    return OpenClProvider.driver(device).device().platform();
  }

  /**
   * Unified shared memory of a kind, where the platform has the extension {@code cl_intel_unified_shared_memory} and
   * the device that kind. It is on the device, like its {@link Device#memory}; {@link UnifiedMemory#DEVICE} is that on
   * a device without shared virtual memory. A kernel gets its addresses by {@code clSetKernelArgMemPointerINTEL}.
   */
  public static Optional<MemoryManager> unifiedMemory(Device device, UnifiedMemory kind) {
    return Optional.ofNullable(OpenClProvider.driver(device).unified(kind))
        .map(allocator -> MemoryManager.of(device, allocator));
  }

  /**
   * Hands an array to a C consumer that wants {@code cl_mem} handles where the buffers' addresses are (DEV-12), of the
   * device's {@link #context}. The handle {@code array} is consumed; on failure it is not, and nothing is written to
   * {@code out} (OWN-09).
   *
   * <p>A buffer goes out without a copy if it is shared virtual memory and begins where a {@code cl_mem} can: with its
   * allocation, or at a multiple of the device's {@code CL_DEVICE_MEM_BASE_ADDR_ALIGN} in it. Any other is copied by
   * the stream, on the device. {@code offset} and the children are as ever; a buffer without bytes has a handle as
   * well, but for a bitmap without nulls, which is NULL.
   *
   * <p>The handles belong to the array, whose release releases them, and frees what they stand for: a consumer retains
   * none beyond. It reads only. What it has queued on them is over when it calls release.
   *
   * @param out where an {@code ArrowDeviceArray} goes, with an event if the array is not ready, or something is copied
   * @param stream of the array's device, for what is copied, behind the array's event
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if the stream is of another device
   * @throws IllegalArgumentException if the array is on no OpenCL device
   */
  public static void exportMemObjects(DeviceArray array, MemorySegment out, DeviceStream stream) {
    MemObjectExport.export(array, stream, out, null);
  }

  /**
   * The same, with the array's schema; on failure nothing is written to either. See {@link
   * #exportMemObjects(DeviceArray, MemorySegment, DeviceStream)}.
   */
  public static void exportMemObjects(DeviceArray array, MemorySegment out, MemorySegment schemaOut,
      DeviceStream stream) {
    MemObjectExport.export(array, stream, out, schemaOut);
  }

  /**
   * Takes in a record batch whose buffers are declared to be {@code cl_mem} handles (DEV-12). What is a {@code cl_mem}
   * over shared virtual memory is used where it is, and the struct is released when the last who holds the array has
   * left. Any other is copied by the stream, on the device, behind the array's event; the result has an event of its
   * own then. On failure the struct is released at once.
   *
   * @param array a live {@code ArrowDeviceArray} on an OpenCL device
   * @param stream of that device
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if the array is malformed, or its handles are none
   *     of the device's context
   */
  public static DeviceArray importMemObjects(MemorySegment array, Schema schema, DeviceStream stream) {
    return MemObjectImport.importArray(array, schema.asField(), stream);
  }
}
