// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.util.Locale;
import org.arbalest.device.internal.schema.NumericText;

/** Text, numbers as text, and binary. Each subclass finds the bytes in its own way. */
abstract class TextValues extends Values {
  final ColumnImpl column;
  private final boolean isText;

  /** Whether the text is that of decimals. */
  private final boolean isNumeric;

  TextValues(ColumnImpl column, boolean isText) {
    super(column.field());
    this.column = column;
    this.isText = isText;
    this.isNumeric = NumericText.isIn(field);
  }

  @Override
  final boolean isText() {
    return isText;
  }

  @Override
  final String getString(long at) {
    if (!isText) throw cannot(Getter.STRING.what);
    return new String(getBytes(at), UTF_8);
  }

  @Override
  final BigDecimal getDecimal(long at) {
    if (!isNumeric) throw cannot(Getter.DECIMAL.what);
    String text = getString(at);
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException _) {
      throw column.isNoDecimal(at, text);
    }
  }

  @Override
  final double getDouble(long at) {
    if (!isNumeric) throw cannot(Getter.DOUBLE.what);
    return switch (getString(at).toLowerCase(Locale.ROOT)) {
      case "nan" -> Double.NaN;
      case "inf", "infinity" -> Double.POSITIVE_INFINITY;
      case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
      default -> getDecimal(at).doubleValue();
    };
  }

  @Override
  final Object get(long at) {
    return isText ? getString(at) : getBytes(at);
  }
}
