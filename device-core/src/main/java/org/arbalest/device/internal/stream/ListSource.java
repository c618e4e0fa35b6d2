// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** Arrays that are there already, one after the other; those that nobody pulled are closed with it. */
final class ListSource implements DeviceArrayReader.Source {
  private final Iterator<DeviceArray> rest;

  private ListSource(List<DeviceArray> batches) {
    this.rest = batches.iterator();
  }

  /**
   * Takes the arrays over, also if this throws (OWN-16), as it does if one is closed, there twice, or not what the
   * stream is of.
   *
   * @param deviceType what the stream's arrays are on; answers null for what the first is on
   */
  static DeviceArrayReader reader(Schema schema, Supplier<@Nullable DeviceType> deviceType, List<DeviceArray> batches) {
    List<@Nullable DeviceArray> given = new ArrayList<>(Objects.requireNonNull(batches, "batches"));
    List<DeviceArray> taken = new ArrayList<>(given.size());
    try {
      for (DeviceArray each : given) taken.add(moved(Objects.requireNonNull(each, "batches"), taken.size()));
      DeviceType first = taken.isEmpty() ? DeviceType.CPU : taken.getFirst().device().type();
      DeviceType type = deviceType.get();
      StreamCheck check = new StreamCheck(schema.asField(), type == null ? first : type);
      for (int i = 0; i < taken.size(); i++) check.checkGiven(taken.get(i), "batch " + i);
      return DeviceArrayReaderImpl.of(check.field(), check.deviceType(), new ListSource(taken));
    } catch (Throwable t) {
      closeAll(taken, t);
      closeAll(given, t);
      throw t;
    }
  }

  private static void closeAll(List<? extends @Nullable DeviceArray> arrays, Throwable failure) {
    for (DeviceArray each : arrays) {
      try {
        if (each != null) each.close();
      } catch (RuntimeException | Error e) {
        failure.addSuppressed(e);
      }
    }
  }

  private static DeviceArray moved(DeviceArray array, int index) {
    try {
      return array.move();
    } catch (IllegalStateException e) {
      throw new IllegalStateException("batch " + index + " was closed or exported, or is in the list twice", e);
    }
  }

  @Override
  public @Nullable DeviceArray next() {
    return rest.hasNext() ? rest.next() : null;
  }

  @Override
  public void close() {
    rest.forEachRemaining(DeviceArray::close);
  }
}
