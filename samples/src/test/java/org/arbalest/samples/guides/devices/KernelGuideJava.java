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

  static cl_kernel compile(Device device, String source, String name) {
    var program = CL.clCreateProgramWithSource(Jocl.context(device), 1, new String[] {source}, null, null);
    try {
      checked(CL.clBuildProgram(program, 0, null, null, null, null));
      int[] code = new int[1];
      cl_kernel kernel = CL.clCreateKernel(program, name, code);
      checked(code[0]);
      return kernel;
    } finally {
      CL.clReleaseProgram(program); // the kernel keeps it
    }
  }

  static DeviceArray scaled(RecordBatch batch, cl_kernel kernel, long factor, DeviceStream stream) {
    try (DeviceArray column = batch.retainChild(0);
        ArrayData input = ArrayData.of(column); // buffers: validity bitmap or null, values
        DeviceBuffer output = stream.device().allocate(8 * (input.offset() + input.length()))) {
      stream.waitFor(batch); // the kernel starts after the work that writes the batch
      launch(kernel, input, output, factor, stream);
      stream.keepAlive(batch); // until the kernel is done
      stream.keepAlive(output);
      List<DeviceBuffer> buffers = Arrays.asList(input.buffers().get(0), output);
      var data = new ArrayData(input.length(), input.nullCount(), input.offset(), buffers, List.of(), null);
      return DeviceArray.of(column.field(), data, stream); // consumes the buffers; ready after the kernel
    }
  }

  private static void launch(cl_kernel kernel, ArrayData input, DeviceBuffer output, long factor,
      DeviceStream stream) {
    if (input.length() == 0) return;
    checked(CL.clSetKernelArgSVMPointer(kernel, 0, Jocl.pointer(input.buffers().get(1))));
    checked(CL.clSetKernelArgSVMPointer(kernel, 1, Jocl.pointer(output)));
    checked(CL.clSetKernelArg(kernel, 2, 8, Pointer.to(new long[] {factor})));
    long[] first = {input.offset()};
    long[] rows = {input.length()};
    checked(CL.clEnqueueNDRangeKernel(Jocl.commandQueue(stream), kernel, 1, first, rows, null, 0, null, null));
  }

  private static void checked(int code) {
    if (code != CL.CL_SUCCESS) throw new IllegalStateException("OpenCL failed: " + CL.stringFor_errorCode(code));
  }
}
