// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.types.Schema;

/**
 * Raw OpenCL handles of this library's devices, unified shared memory, and arrays of {@code cl_mem} handles. The raw
 * handles are borrowed, and stay valid until the process ends.
 */
public final class OpenCl {
  private OpenCl() {}

  /**
   * Returns the {@code cl_context} of an OpenCL device. Create kernels, queues and events for the library's memory in
   * this context.
   *
   * @throws IllegalArgumentException if the device is not an OpenCL device, or is opaque
   */
  public static long context(Device device) {
    return OpenClProvider.driver(device).context();
  }

  /** Returns the {@code cl_device_id} of a device; see {@link #context}. */
  public static long deviceId(Device device) {
    return OpenClProvider.driver(device).device().id();
  }

  /** Returns the {@code cl_platform_id} of a device; see {@link #context}. */
  public static long platform(Device device) {
    return OpenClProvider.driver(device).device().platform();
  }

  /**
   * Returns unified shared memory of a kind. Empty if the platform does not have the extension
   * {@code cl_intel_unified_shared_memory}, or the device does not have that kind.
   *
   * <p>The memory is on the device, like its {@link Device#memory}. On a device without shared virtual memory,
   * {@link Device#memory} is {@link UnifiedMemory#DEVICE}. A kernel receives addresses in unified memory by
   * {@code clSetKernelArgMemPointerINTEL}.
   *
   * @throws IllegalArgumentException if the device is not an OpenCL device, or is opaque
   */
  public static Optional<MemoryManager> unifiedMemory(Device device, UnifiedMemory kind) {
    return Optional.ofNullable(OpenClProvider.driver(device).unified(kind))
        .map(allocator -> MemoryManager.of(device, allocator));
  }

  /**
   * Exports an array to a native consumer that expects {@code cl_mem} handles in place of the buffers' addresses
   * (DEV-12). The handles are of the device's {@link #context}. The handle {@code array} is consumed. On failure it is
   * not consumed, and nothing is written to {@code out} (OWN-09).
   *
   * <p>A buffer is exported without a copy if it is shared virtual memory and begins where a {@code cl_mem} can begin.
   * That is at the start of its allocation, or at a multiple of the device's {@code CL_DEVICE_MEM_BASE_ADDR_ALIGN} in
   * it. The stream copies any other buffer, on the device.
   *
   * <p>{@code offset} and the children are the same as in any export. A buffer without bytes also has a handle; only a
   * bitmap without nulls is NULL.
   *
   * <p>The handles belong to the array. Its release releases them, and frees their memory: the consumer must not retain
   * a handle for longer. The consumer only reads. Its queued work on the handles must be done when it calls release.
   *
   * @param out the memory for an {@code ArrowDeviceArray}. The array has an event if it is not ready, or if a buffer is
   *     copied
   * @param stream a stream of the array's device, for the copies, which run after the array's event
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if the stream is of another device
   * @throws IllegalArgumentException if the array is not on an OpenCL device
   */
  public static void exportMemObjects(DeviceArray array, MemorySegment out, DeviceStream stream) {
    MemObjectExport.export(array, stream, out, null);
  }

  /**
   * Exports an array and its schema to a native consumer that expects {@code cl_mem} handles. On failure nothing is
   * written to either struct. See {@link #exportMemObjects(DeviceArray, MemorySegment, DeviceStream)}.
   */
  public static void exportMemObjects(DeviceArray array, MemorySegment out, MemorySegment schemaOut,
      DeviceStream stream) {
    MemObjectExport.export(array, stream, out, schemaOut);
  }

  /**
   * Imports a record batch whose buffers are declared to be {@code cl_mem} handles (DEV-12).
   *
   * <p>A {@code cl_mem} over shared virtual memory is used in place; the struct is released after the last use of the
   * array. The stream copies any other {@code cl_mem}, on the device, after the array's event; the result then has its
   * own event. On failure the struct is released at once.
   *
   * @param array a live {@code ArrowDeviceArray} on an OpenCL device
   * @param stream a stream of that device
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if the array is malformed, or a handle is not of
   *     the device's context
   */
  public static RecordBatch importMemObjects(MemorySegment array, Schema schema, DeviceStream stream) {
    return MemObjectImport.importArray(array, schema.asField(), stream).asRecordBatch();
  }
}
