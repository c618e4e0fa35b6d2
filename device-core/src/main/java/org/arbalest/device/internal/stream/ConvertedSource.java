// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.function.UnaryOperator;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.jspecify.annotations.Nullable;

/** The arrays of another reader, converted to another layout or to other columns. This source owns that reader. */
final class ConvertedSource<A extends DeviceArray> implements DeviceArrayReader.Source<A> {
  private final DeviceArrayReader<A> reader;
  private final UnaryOperator<A> conversion;

  /** @param conversion makes a new array from an array that stays open */
  ConvertedSource(DeviceArrayReader<A> reader, UnaryOperator<A> conversion) {
    this.reader = reader;
    this.conversion = conversion;
  }

  @Override
  public @Nullable A next() {
    try (A array = reader.next()) {
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
