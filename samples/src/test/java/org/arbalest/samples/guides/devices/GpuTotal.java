// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.devices;

import java.time.Duration;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.columns.*;

public final class GpuTotal {
  public static void main(String[] args) throws InterruptedException {
    System.out.print(Devices.describe()); // each device, and why each other kind is missing
    Device gpu = firstGpu();
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 3);
        RecordBatch batch = builder.float64("price", new double[] {1.5, 2.0, 4.25}).build()) {
      System.out.println("total: " + totalAfter(gpu, batch) + ", after a copy to " + gpu + " and back");
    }
  }

  static Device firstGpu() {
    for (DeviceType type : List.of(DeviceType.CUDA, DeviceType.ROCM, DeviceType.OPENCL)) {
      if (Devices.availability(type) instanceof Availability.Ready) return Devices.device(type, 0);
    }
    return Devices.cpu(); // without a GPU, the program still runs
  }

  static double totalAfter(Device gpu, RecordBatch batch) throws InterruptedException {
    try (DeviceStream stream = gpu.createStream();
        RecordBatch onGpu = batch.copyTo(gpu, stream); // queued
        RecordBatch back = onGpu.copyTo(Devices.cpu(), stream)) { // queued behind the first copy
      if (!back.synchronize(Duration.ofSeconds(10))) throw new IllegalStateException("not ready after 10 s");
      DoubleView price = back.column("price").asDoubles();
      double total = 0;
      for (long row = 0; row < price.length(); row++) total += price.get(row);
      return total;
    }
  }
}
