// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.Utf8;

/** Text and binary of any length, in one layout or the other. */
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

  /** Appends bytes of the type's. */
  abstract ColumnBuilder write(byte[] bytes);

  /** The bytes of text. */
  private byte[] utf8(String value) {
    byte[] bytes = value.getBytes(UTF_8);
    int half = Utf8.half(value, bytes);
    if (half >= 0) throw new IllegalArgumentException(here() + ": " + Utf8.describe(value, half));
    return bytes;
  }

  /** Appends bytes to a buffer, or text, which is UTF-8 or refused; then nothing is appended. */
  final void put(GrowableBuffer data, MemorySegment value) {
    if (!isText) {
      data.putAll(value);
    } else if (!data.putText(value)) {
      throw doesNotHold(value.byteSize() + " bytes that are not UTF-8");
    }
  }
}
