// SPDX-License-Identifier: Apache-2.0
package app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.arbalest.device.DeviceStatus;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.arbalest.device.types.Schema;

/** A program that passes a batch to C and back, and prints the backends that it finds. */
public final class Main {
  public static void main(String[] args) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = arena.allocate(ArrowArrayStruct.LAYOUT);
      MemorySegment schema = arena.allocate(ArrowSchemaStruct.LAYOUT);
      try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 2);
          RecordBatch symbols = builder.utf8("symbol", List.of("AB", "CD")).build()) {
        CData.exportArray(symbols, array, CExport.DATA.schemaTo(schema));
      }
      try (RecordBatch batch =
          CData.importBatch(array, CImport.DATA.schema(Schema.ofStruct(CData.importSchema(schema))))) {
        System.out.println("symbols " + batch.column("symbol").getString(0) + batch.column("symbol").getString(1));
      }
    }
    for (DeviceStatus kind : Devices.status()) System.out.println("backend " + kind.type());
    System.out.println("from " + RecordBatch.class.getProtectionDomain().getCodeSource().getLocation());
  }
}
