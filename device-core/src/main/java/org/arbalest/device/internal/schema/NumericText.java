// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Extension.Opaque;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;

/**
 * Columns of decimals that are stored as text: SQL's {@code numeric} without precision and scale, which has no type in
 * Arrow. ADBC's driver of PostgreSQL delivers it as {@code arrow.opaque}.
 */
public final class NumericText {
  private static final String NUMERIC = "numeric";

  /** The key of the type's name in the metadata of drivers that precede {@code arrow.opaque}. */
  private static final String TYPE_NAME = "ADBC:postgresql:typname";

  private NumericText() {}

  /** Returns whether the values of a field are such text. */
  public static boolean isIn(Field field) {
    boolean isText = switch (field.type()) {
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> true;
      default -> false;
    };
    if (!isText) return false;
    Extension extension = field.extension();
    if (extension == null) return !field.metadata().isEmpty() && NUMERIC.equals(field.metadata().get(TYPE_NAME));
    return extension instanceof Opaque(String typeName, String _) && typeName.equals(NUMERIC);
  }
}
