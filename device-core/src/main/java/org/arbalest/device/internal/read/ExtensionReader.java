// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.Objects;
import org.arbalest.device.columns.Column;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Extension.Uuid;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/** Reads a row of an extension type, which is not null, as an object. */
@FunctionalInterface
interface ExtensionReader {
  Object get(ColumnImpl column, long row);

  /** Returns the reader for the rows of a field, or null if they are read as their storage. */
  static @Nullable ExtensionReader of(Field field) {
    Extension extension = field.extension();
    if (extension == null) return null; // most fields: it makes no class
    return switch (extension) {
      case Uuid _ -> Column::getUuid;
      case Bool8 _ -> Column::getBoolean;
      default -> byCodec(field);
    };
  }

  private static @Nullable ExtensionReader byCodec(Field field) {
    try {
      ExtensionCodec<?> codec = Codecs.registered(field);
      return codec == null ? null : (column, row) -> codec.fromStorage(column.storage(), row);
    } catch (RuntimeException _) { // its fits method threw, and each call of get repeats the error
      return ExtensionReader::ask;
    }
  }

  private static Object ask(ColumnImpl column, long row) {
    ExtensionCodec<?> codec = Codecs.registered(column.field());
    return codec == null ? Objects.requireNonNull(column.storage().get(row)) : codec.fromStorage(column.storage(), row);
  }
}
