// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceType;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A source of existing arrays, in their order. {@link #close} closes the arrays that were not pulled. */
final class ListSource implements DeviceArrayReader.Source<RecordBatch> {
  private final Iterator<RecordBatch> rest;

  private ListSource(List<RecordBatch> batches) {
    this.rest = batches.iterator();
  }

  /**
   * Takes over the arrays, also if this throws (OWN-16). It throws if an array is closed, is in the list twice, or does
   * not fit the schema.
   *
   * @param deviceType returns the device type of the stream's arrays; null for the device type of the first array
   */
  static RecordBatchReader reader(Schema schema, Supplier<@Nullable DeviceType> deviceType, List<RecordBatch> batches) {
    List<@Nullable RecordBatch> given = new ArrayList<>(Objects.requireNonNull(batches, "batches"));
    List<RecordBatch> taken = new ArrayList<>(given.size());
    try {
      for (RecordBatch each : given) taken.add(moved(Objects.requireNonNull(each, "batches"), taken.size()));
      DeviceType first = taken.isEmpty() ? DeviceType.CPU : taken.getFirst().device().type();
      DeviceType type = deviceType.get();
      StreamCheck check = new StreamCheck(schema.asField(), type == null ? first : type);
      for (int i = 0; i < taken.size(); i++) check.checkGiven(taken.get(i), "batch " + i);
      return RecordBatchReaderImpl.of(check.field(), check.deviceType(), new ListSource(taken));
    } catch (Throwable t) {
      closeAll(taken, t);
      closeAll(given, t);
      throw t;
    }
  }

  private static void closeAll(List<? extends @Nullable RecordBatch> arrays, Throwable failure) {
    for (RecordBatch each : arrays) {
      try {
        if (each != null) each.close();
      } catch (RuntimeException | Error e) {
        failure.addSuppressed(e);
      }
    }
  }

  private static RecordBatch moved(RecordBatch array, int index) {
    try {
      return array.move();
    } catch (IllegalStateException e) {
      throw new IllegalStateException("batch " + index + " was closed or exported, or is in the list twice", e);
    }
  }

  @Override
  public @Nullable RecordBatch next() {
    return rest.hasNext() ? rest.next() : null;
  }

  @Override
  public void close() {
    rest.forEachRemaining(RecordBatch::close);
  }
}
