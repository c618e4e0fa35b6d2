// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.devices;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.opencl.Jocl;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_kernel;

/** The kernel of docs/guides/devices.md: an input column to an output array, on an OpenCL device, by JOCL. */
final class KernelGuideJava {
  private KernelGuideJava() {}

  static DeviceArray scaled(DeviceArray batch, cl_kernel kernel, long factor, DeviceStream stream) {
    try (DeviceArray column = batch.retainChild(0);
        ArrayData input = ArrayData.of(column); // the buffers of an int64 column: validity bitmap or null, values
        DeviceBuffer output = stream.device().allocate(8 * (input.offset() + input.length()))) {
      DeviceBuffer validity = input.buffers().get(0);
      DeviceBuffer values = input.buffers().get(1);
      stream.waitFor(batch); // on the device: the kernel starts after the work that writes the batch
      launch(kernel, values, output, factor, input.offset(), input.length(), stream);
      stream.keepAlive(batch); // until the kernel is done, so that the caller may close it now
      stream.keepAlive(output);
      ArrayData data = new ArrayData(input.length(), input.nullCount(), input.offset(),
          Arrays.asList(validity, output), List.of(), null);
      return DeviceArray.of(column.field(), data, stream); // takes both buffers; ready when the kernel is done
    }
  }

  static void launch(cl_kernel kernel, DeviceBuffer from, DeviceBuffer to, long factor, long offset, long rows,
      DeviceStream stream) {
    if (rows == 0) return;
    checked(CL.clSetKernelArgSVMPointer(kernel, 0, Jocl.pointer(from)));
    checked(CL.clSetKernelArgSVMPointer(kernel, 1, Jocl.pointer(to)));
    checked(CL.clSetKernelArg(kernel, 2, 8, Pointer.to(new long[] {factor})));
    checked(CL.clEnqueueNDRangeKernel(
        Jocl.commandQueue(stream), kernel, 1, new long[] {offset}, new long[] {rows}, null, 0, null, null));
  }

  private static void checked(int code) {
    if (code != CL.CL_SUCCESS) throw new IllegalStateException("OpenCL failed: " + CL.stringFor_errorCode(code));
  }
}
