// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.math.BigDecimal;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The default type of a class whose objects differ in something that the type stores once for the whole column: the
 * scale of decimals, the zone of times.
 */
enum ExactType {
  /** Decimals with the largest scale of all values; with a smaller one, if only zeros at their ends do not fit. */
  DECIMAL {
    @Override
    DataType of(Field field, List<Object> values) {
      int largest = 0; // negative scales are unknown to many readers
      int least = 0; // without trailing zeros
      long whole = 0; // digits before the point
      for (Object object : values) {
        BigDecimal value = (BigDecimal) object;
        largest = Math.max(largest, value.scale());
        least = Math.max(least, value.stripTrailingZeros().scale());
        if (value.signum() != 0) whole = Math.max(whole, (long) value.precision() - value.scale());
      }
      if (least + whole > DIGITS)
        throw new IllegalArgumentException("column \"" + field.name() + "\": its values have up to " + whole
            + " digits before the point and " + least + " behind it, and the default type has " + DIGITS
            + " digits; build it with a schema");
      return DataType.decimal128(DIGITS, (int) Math.min(largest, DIGITS - whole));
    }
  },

  /** Times in the zone of all values. */
  ZONED {
    @Override
    DataType of(Field field, List<Object> values) {
      ZonedDateTime first = (ZonedDateTime) values.getFirst();
      for (Object value : values) {
        if (!((ZonedDateTime) value).getZone().equals(first.getZone()))
          throw new IllegalArgumentException("column \"" + field.name() + "\": " + first + " and " + value
              + " are in different zones, and a column has one; build it with a schema, such as Records.schema(), "
              + "whose zone all values then have");
      }
      return DataType.timestamp(ArrowTimeUnit.NANOSECOND, arrowName(first.getZone()));
    }
  };

  private static final int DIGITS = 38;

  /** Returns the entry of a class, or null if its default type stores every object of the class. */
  static @Nullable ExactType of(Class<?> type) {
    return type == BigDecimal.class ? DECIMAL : type == ZonedDateTime.class ? ZONED : null;
  }

  /** Returns the default type for these values; there is at least one. */
  abstract DataType of(Field field, List<Object> values);

  /** Returns the name of a zone for Arrow, which does not know Java's name of the offset 0, "Z". */
  private static String arrowName(ZoneId zone) {
    return zone.equals(ZoneOffset.UTC) ? "+00:00" : zone.getId();
  }
}
