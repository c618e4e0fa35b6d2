// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Schema;

/** What OpenCL programs need to know of our devices: raw handles, which are borrowed and live as long as the process. */
public final class OpenCl {
  private OpenCl() {}

  /**
   * The {@code cl_context} that an OpenCL device works in: kernels, queues and events that are to work on our memory are made in it.
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
   * Takes in a record batch whose buffers are declared to be {@code cl_mem} handles (DEV-12). They are copied into shared virtual memory, which
   * is what buffers are here, by the stream, behind the array's event; the result has an event of its own. The struct is released when the
   * copies are done, and at once on failure.
   *
   * @param array a live {@code ArrowDeviceArray} on an OpenCL device
   * @param stream of that device
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if the array is malformed, or its handles are none of the device's context
   */
  public static DeviceArray importMemObjects(MemorySegment array, Schema schema, DeviceStream stream) {
    return MemObjects.importArray(array, schema.asField(), stream);
  }
}
