// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.Utf8;

/** A builder of text or binary values of any length, in either layout. */
abstract sealed class TextBuilder extends UnsupportedAppends permits VariableBuilder, ViewBuilder {
  final boolean isText;

  TextBuilder(BuildMemory memory, Field field, boolean isText) {
    super(memory, field);
    this.isText = isText;
  }

  @Override
  public final ColumnBuilder append(String value) {
    Objects.requireNonNull(value, NO_VALUE);
    if (!isText) throw doesNotFit("text");
    return write(utf8(value));
  }

  @Override
  public final ColumnBuilder append(byte[] value) {
    Objects.requireNonNull(value, NO_VALUE);
    if (isText) throw doesNotFit("bytes");
    return write(value);
  }

  /** Appends bytes, which are valid values of the type. */
  abstract ColumnBuilder write(byte[] bytes);

  /** Encodes text as UTF-8. */
  private byte[] utf8(String value) {
    byte[] bytes = value.getBytes(UTF_8);
    int half = Utf8.half(value, bytes);
    if (half >= 0) throw new IllegalArgumentException(here() + ": " + Utf8.describe(value, half));
    return bytes;
  }

  /** Appends bytes to a buffer. For a text column, throws unless they are UTF-8, and appends nothing then. */
  final void put(GrowableBuffer data, MemorySegment value) {
    if (!isText) {
      data.putAll(value);
    } else if (!data.putText(value)) {
      throw doesNotHold(value.byteSize() + " bytes that are not UTF-8");
    }
  }
}
