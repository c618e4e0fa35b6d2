// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.files;

import java.io.IOException;
import java.nio.file.*;
import java.util.Arrays;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.ipc.*;

public final class TradesFile {
  public static void main(String[] args) throws IOException {
    Path path = Files.createTempFile("trades", ".arrow");
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      builder.float64("price", new double[] {1.5, 4.25}).utf8("symbol", Arrays.asList("A", null));
      try (RecordBatch batch = builder.build();
          ArrowWriter writer = ArrowWriter.file(path, batch.schema(), IpcWriteOptions.defaults())) {
        writer.write(batch);
        writer.write(batch);
        writer.finish(); // without this call, close leaves no file
      }
    }
    try (ArrowFile file = ArrowFile.open(path)) {
      System.out.println(file.batchCount() + " batches, " + file.rowCount() + " rows"); // 2 batches, 4 rows
      try (RecordBatch batch = file.batch(1)) { // any batch, without reading the others
        System.out.println(batch.column("price").toList()); // [1.5, 4.25]
      }
    }
    Files.delete(path);
  }
}
