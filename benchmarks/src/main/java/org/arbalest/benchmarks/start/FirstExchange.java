// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.start;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;

/** The first exchange of a program: a batch is built, exported into C structs, imported again, read and closed. */
public final class FirstExchange {
  private FirstExchange() {}

  public static void main(String[] args) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment schema = ArrowSchemaStruct.allocate(arena);
      MemorySegment array = ArrowArrayStruct.allocate(arena);
      try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 3)) {
        builder.float64("price", new double[] {1.5, 2.0, 4.25});
        CData.exportArray(builder.build(), array, CExport.DATA.schemaTo(schema));
      }
      try (RecordBatch batch = CData.importBatch(array, CImport.DATA.schema(schema))) {
        double last = batch.column("price").getDouble(2);
        if (last != 4.25) throw new AssertionError("read " + last);
      }
    }
  }
}
