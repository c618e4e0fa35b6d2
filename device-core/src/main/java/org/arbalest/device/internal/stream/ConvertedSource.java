// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.function.UnaryOperator;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.jspecify.annotations.Nullable;

/** The arrays of another reader, converted to another layout or to other columns. This source owns that reader. */
final class ConvertedSource implements DeviceArrayReader.Source {
  private final DeviceArrayReader reader;
  private final UnaryOperator<DeviceArray> conversion;

  /** @param conversion makes a new array from an array that stays open */
  ConvertedSource(DeviceArrayReader reader, UnaryOperator<DeviceArray> conversion) {
    this.reader = reader;
    this.conversion = conversion;
  }

  @Override
  public @Nullable DeviceArray next() {
    try (DeviceArray array = reader.next()) {
      return array == null ? null : conversion.apply(array);
    }
  }

  @Override
  public void cancel() {
    reader.close();
  }

  @Override
  public void close() {
    reader.close();
  }
}
