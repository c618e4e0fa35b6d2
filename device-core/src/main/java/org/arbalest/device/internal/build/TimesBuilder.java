// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The methods that append dates and times. They all call {@link #appendTime}, which each type implements or rejects.
 * See {@link ColumnBuilder}.
 */
abstract sealed class TimesBuilder extends ColumnBuilderImpl permits UnsupportedAppends {
  /** The message for a null that is passed as a value. */
  static final String NO_VALUE = "value is null, which appendNull() appends";

  TimesBuilder(BuildMemory memory, Field field, @Nullable GrowableBuffer integers, @Nullable GrowableBuffer floats) {
    super(memory, field, integers, floats);
  }

  @Override
  public final ColumnBuilder append(LocalDate value) {
    return appendTime(Objects.requireNonNull(value, NO_VALUE));
  }

  @Override
  public final ColumnBuilder append(LocalTime value) {
    return appendTime(Objects.requireNonNull(value, NO_VALUE));
  }

  @Override
  public final ColumnBuilder append(LocalDateTime value) {
    return appendTime(Objects.requireNonNull(value, NO_VALUE));
  }

  @Override
  public final ColumnBuilder append(Instant value) {
    return appendTime(Objects.requireNonNull(value, NO_VALUE));
  }

  @Override
  public final ColumnBuilder append(ZonedDateTime value) {
    return appendTime(Objects.requireNonNull(value, NO_VALUE).toInstant());
  }

  @Override
  public final ColumnBuilder append(Duration value) {
    return appendTime(Objects.requireNonNull(value, NO_VALUE));
  }

  @Override
  public final ColumnBuilder append(Period value) {
    return appendTime(Objects.requireNonNull(value, NO_VALUE));
  }
}
