// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;

/** The Java of docs/guides that stands alone. Each method is one snippet, or has it inside. */
final class GuideJava {
  private GuideJava() {}

  static List<DeviceArray> longOnes(DeviceArrayReader reader, long rows) {
    List<DeviceArray> kept = new ArrayList<>();
    reader.forEach(batch -> {
      // a second reference: the one that is lent is closed after this block
      if (batch.length() >= rows) kept.add(batch.retain());
    });
    return kept; // the caller closes each
  }

  static void handOver(DeviceArray batch, MemorySegment array, MemorySegment schema) {
    try (DeviceArray ours = batch.retain()) { // without it, the batch could not be read any more
      // batch is consumed; C has its reference, and releases it
      CData.exportArray(batch, array, CExport.DATA.schemaTo(schema));
      System.out.println(ours);
    }
  }

  static DeviceArray throughC(DeviceArray batch) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = ArrowArrayStruct.allocate(arena);
      MemorySegment schema = ArrowSchemaStruct.allocate(arena);
      CData.exportArray(batch, array, CExport.DATA.schemaTo(schema));
      return CData.importArray(array, CImport.DATA.schema(schema)); // moved out: the structs may go, the columns stay
    }
  }

  static double first(DeviceArray batch, Device gpu) throws InterruptedException {
    try (DeviceStream stream = gpu.createStream();
        DeviceArray there = batch.copyTo(gpu, stream); // queued; the copy waits for batch on the device
        DeviceArray back = there.copyTo(Devices.cpu(), stream)) {
      if (!back.synchronize(Duration.ofSeconds(10))) throw new IllegalStateException("the device is busy");
      return back.column("price").asDoubles().get(0);
    }
  }

  static String whatWentWrong(DeviceArrayReader reader) {
    try (reader) {
      while (true) {
        DeviceArray next = reader.next();
        if (next == null) return "nothing";
        next.close();
      }
    } catch (DeviceException e) {
      return e.errno() + ": " + e.getMessage(); // the producer's errno and words; our own mistakes are other exceptions
    }
  }
}
