// SPDX-License-Identifier: Apache-2.0
package app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceStatus;
import org.arbalest.device.Devices;
import org.arbalest.device.types.Schema;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;

/** A batch to C and back, and which backends are found. */
public final class Main {
  public static void main(String[] args) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = arena.allocate(ArrowArrayStruct.LAYOUT);
      MemorySegment schema = arena.allocate(ArrowSchemaStruct.LAYOUT);
      try (BatchBuilder builder = Devices.cpu().batchBuilder(2);
          DeviceArray symbols = builder.utf8("symbol", List.of("AB", "CD")).build()) {
        symbols.exportArray(array, schema);
      }
      try (DeviceArray batch = DeviceArray.importArray(array, Schema.importSchema(schema))) {
        System.out.println("symbols " + batch.column("symbol").getString(0) + batch.column("symbol").getString(1));
      }
    }
    for (DeviceStatus kind : Devices.status()) System.out.println("backend " + kind.type());
    System.out.println("from " + DeviceArray.class.getProtectionDomain().getCodeSource().getLocation());
  }
}
