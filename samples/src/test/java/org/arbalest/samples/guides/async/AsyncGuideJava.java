// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.async;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import org.arbalest.device.*;
import org.arbalest.device.async.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.c.*;
import org.arbalest.device.types.*;

public final class AsyncGuideJava {
  public static void main(String[] args) {
    AsyncArrayStream stream = CData.importAsyncStream(CImport.DEVICE, AsyncGuideJava::produce);
    double total = 0;
    try (RecordBatchReader reader = stream.reader(16)) { // up to 16 tasks wait
      RecordBatch next;
      while ((next = reader.next()) != null) {
        try (RecordBatch batch = next) {
          for (double price : batch.column("price").toDoubleArray()) total += price;
        }
      }
    }
    stream.released().toCompletableFuture().join(); // the producer makes no more calls
    System.out.println("total: " + total);
  }

  /** The producer. In an application this is often native code. */
  static void produce(MemorySegment handler) {
    List<RecordBatch> batches = List.of(batch(1.5), batch(2.0), batch(4.25));
    RecordBatchReader reader = RecordBatchReader.of(batches.getFirst().schema(), batches);
    AsyncProducer producer = AsyncProducer.of(reader, Metadata.empty());
    CData.exportAsyncStream(producer, handler, ForkJoinPool.commonPool(), CExport.DEVICE);
  }

  static RecordBatch batch(double price) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      return builder.float64("price", new double[] {price}).build();
    }
  }
}
