// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.ipc.internal.memory.MappedFault;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** All batches of an input as one batch. */
final class AllBatches {
  private AllBatches() {}

  /** The batches, one after the other. */
  interface Batches {
    @Nullable
    RecordBatch next() throws IOException;
  }

  /**
   * Reads all batches. The caller closes the result.
   *
   * @param memory the memory of the result if there are several batches
   * @param name the name of the input, for errors of joining; those of the batches have it
   */
  static RecordBatch read(Schema schema, Batches batches, MemoryManager memory, InputName name) throws IOException {
    List<RecordBatch> all = new ArrayList<>();
    try {
      for (RecordBatch next = batches.next(); next != null; next = batches.next()) all.add(next);
      return switch (all.size()) {
        case 0 -> empty(schema);
        case 1 -> all.getFirst().retain();
        default -> joined(all, memory, name);
      };
    } finally {
      all.forEach(RecordBatch::close);
    }
  }

  private static RecordBatch joined(List<RecordBatch> all, MemoryManager memory, InputName name) {
    try {
      RecordBatch joined = DeviceArray.concat(all, memory, memory.device().defaultStream());
      try {
        joined.synchronize();
        MappedFault.settle();
        return joined;
      } catch (Throwable t) {
        joined.close();
        throw t;
      }
    } catch (DeviceException e) {
      throw name.named(e);
    } catch (InternalError e) {
      throw name.named(e);
    }
  }

  private static RecordBatch empty(Schema schema) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      for (Field field : schema.fields()) builder.column(field);
      try (RecordBatch made = builder.build()) {
        return made.withMetadata(schema.metadata());
      }
    }
  }
}
