// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Field;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.convert.ArrayConversion;
import org.jspecify.annotations.Nullable;

/** The arrays of another reader, which is this one's, in another layout. */
final class ConvertedSource implements DeviceArrayReader.Source {
  private final DeviceArrayReader reader;
  private final Field requested;

  ConvertedSource(DeviceArrayReader reader, Field requested) {
    this.reader = reader;
    this.requested = requested;
  }

  @Override
  public @Nullable DeviceArray next() {
    try (DeviceArray array = reader.next()) {
      return array == null ? null : ArrayConversion.convert(DeviceArrayImpl.unwrap(array), reader.field(), requested); // its own names may be others
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
