// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Interval;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** The values of a query's parameters: rows of Java objects, which become a batch with one column per parameter. */
public final class Parameters {
  private static final int NANOS_PER_MICRO = 1000;

  /** The rows, each with the same number of values. */
  private final List<List<@Nullable Object>> rows = new ArrayList<>();

  private Parameters() {}

  /**
   * Returns one row of values.
   *
   * @throws IllegalArgumentException if the array is null, which a single null without a cast passes in Java
   */
  @SuppressWarnings("ConstantConditions") // callers without null checks
  public static Parameters of(@Nullable Object @Nullable [] values) {
    if (values == null) throw new IllegalArgumentException(
        "the array of parameters is null; pass a single null as (Object) null");
    return ofRows(List.of(Arrays.asList(values)));
  }

  /**
   * Returns several rows of values.
   *
   * @throws IllegalArgumentException if two rows have different numbers of values, or several rows have none
   */
  public static Parameters ofRows(Collection<? extends List<? extends @Nullable Object>> rows) {
    Objects.requireNonNull(rows, "rows");
    var parameters = new Parameters();
    for (List<? extends @Nullable Object> row : rows) {
      int number = parameters.size();
      List<@Nullable Object> values = new ArrayList<>(Objects.requireNonNull(row, () -> "row " + number));
      values.replaceAll(Parameters::simplified);
      if (number > 0 && values.size() != parameters.count()) throw new IllegalArgumentException(
          "row " + number + " has a different number of parameters than row 0: " + values.size() + " instead of "
              + parameters.count());
      parameters.rows.add(values);
    }
    if (parameters.size() > 1 && parameters.count() == 0)
      throw new IllegalArgumentException("the " + parameters.size() + " rows have no parameters");
    return parameters;
  }

  /**
   * Returns the value as a class that fits the columns of databases, which have no time offsets and no enums. Lists and
   * arrays with elements become lists; primitive arrays, and empty ones, have a class for their elements.
   */
  private static @Nullable Object simplified(@Nullable Object value) {
    return switch (value) {
      case OffsetDateTime time -> time.toInstant();
      case ZonedDateTime time -> time.toInstant();
      case Character character -> character.toString();
      case Enum<?> constant -> constant.name();
      case Collection<?> list -> elements(list);
      case Object[] array when array.length > 0 -> elements(Arrays.asList(array));
      case null, default -> value;
    };
  }

  private static List<@Nullable Object> elements(Collection<?> list) {
    List<@Nullable Object> elements = new ArrayList<>(list);
    elements.replaceAll(Parameters::simplified);
    return elements;
  }

  /** Returns the number of parameters: the values of each row. */
  public int count() {
    return rows.isEmpty() ? 0 : rows.getFirst().size();
  }

  /** Returns the number of rows. */
  public int size() {
    return rows.size();
  }

  /** Executes a query of a new statement with one row of parameters. */
  public RecordBatchReader query(AdbcStatement statement, String sql) {
    statement.setSqlQuery(sql);
    if (count() > 0) statement.bind(adapted((DriverImpl) statement.driver()).build(null));
    return statement.executeQuery();
  }

  /** Executes a query of a new statement for each row; returns the number of affected rows, or -1. */
  public long executeMany(AdbcStatement statement, String sql) {
    if (size() == 0) return 0;
    statement.setSqlQuery(sql);
    if (count() == 0) return statement.executeUpdate();
    DriverImpl driver = (DriverImpl) statement.driver();
    adapted(driver);
    MultiRowInsert insert = size() > 1 && ((StatementImpl) statement).storesManyRowsAtOnce()
        ? MultiRowInsert.of(sql, count()) : null;
    List<Field> fields = insert == null ? null : fieldsOfManyRows();
    if (insert != null && fields != null) return execute(statement, insert, fields);
    try (RecordBatch all = build(null)) {
      boolean isEach = size() > 1 && driver.bindsOneRow();
      return isEach ? executeEach(statement, all) : execute(statement, all.retain());
    }
  }

  private static long execute(AdbcStatement statement, RecordBatch bound) {
    statement.bind(bound);
    return statement.executeUpdate();
  }

  /** Returns the columns of all rows; null if the driver checks values of one, whose errors name the row. */
  private @Nullable List<Field> fieldsOfManyRows() {
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < count(); i++) fields.add(ParameterField.of(i + 1, column(i)));
    for (Field field : fields) if (field.type() instanceof ListType) return null;
    return fields;
  }

  /** Builds the batches of all rows before it executes one. */
  private long execute(AdbcStatement statement, MultiRowInsert insert, List<Field> fields) {
    int each = Math.min(size(), insert.mostRows());
    int whole = size() / each * each;
    try (RecordBatch first = build(fields, 0, whole, each);
        RecordBatch rest = whole == size() ? null : build(fields, whole, size(), size() - whole)) {
      statement.setSqlQuery(insert.sql(each));
      long sum = execute(statement, first.retain());
      if (rest == null) return sum;
      statement.setSqlQuery(insert.sql(size() - whole));
      return sum(sum, execute(statement, rest.retain()));
    } catch (IllegalArgumentException e) {
      build(null).close(); // throws the error with the row's own number
      throw e;
    }
  }

  /** Builds a batch of some rows, of which each execution stores {@code each}. */
  private RecordBatch build(List<Field> fields, int first, int end, int each) {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), (end - first) / each)) {
      for (int row = 0; row < each; row++) {
        for (int i = 0; i < count(); i++) {
          List<@Nullable Object> values = new ArrayList<>(batch.rows());
          for (int at = first + row; at < end; at += each) values.add(rows.get(at).get(i));
          add(batch, i + 1, fields.get(i).withName(String.valueOf(row * count() + i + 1)), values);
        }
      }
      return batch.build();
    }
  }

  private static long sum(long first, long second) {
    return first < 0 || second < 0 ? -1 : first + second;
  }

  private static long executeEach(AdbcStatement statement, RecordBatch all) {
    long sum = 0;
    for (long row = 0; row < all.length(); row++) {
      sum = sum(sum, execute(statement, all.slice(row, 1)));
    }
    return sum;
  }

  /**
   * Adapts the values to a driver, before {@link #build}. PostgreSQL has microseconds, but its driver rejects
   * nanoseconds of a day, and rounds others towards 1970.
   */
  Parameters adapted(DriverImpl driver) {
    return driver.isPostgreSql() ? inMicroseconds() : this;
  }

  /** Cuts the nanoseconds off all values. */
  Parameters inMicroseconds() {
    for (List<@Nullable Object> row : rows) row.replaceAll(Parameters::inMicroseconds);
    return this;
  }

  private static @Nullable Object inMicroseconds(@Nullable Object value) {
    return switch (value) {
      case LocalTime time -> time.truncatedTo(ChronoUnit.MICROS);
      case LocalDateTime time -> time.truncatedTo(ChronoUnit.MICROS);
      case Instant time -> time.truncatedTo(ChronoUnit.MICROS);
      case Duration duration -> duration.truncatedTo(ChronoUnit.MICROS);
      case Interval i -> new Interval(i.months(), i.days(), i.nanoseconds() / NANOS_PER_MICRO * NANOS_PER_MICRO);
      case List<?> list -> {
        List<@Nullable Object> elements = new ArrayList<>(list);
        elements.replaceAll(Parameters::inMicroseconds);
        yield elements;
      }
      case null, default -> value;
    };
  }

  /** Returns the columns for parameters that a driver reports. */
  static Schema fields(Schema reported) {
    List<Field> fields = new ArrayList<>(reported.fields());
    for (int i = 0; i < fields.size(); i++)
      fields.set(i, fields.get(i).withName(String.valueOf(i + 1)).withNullable(true));
    return Schema.of(fields);
  }

  /**
   * Builds the batch in main memory; the caller closes it.
   *
   * @param known the {@link #fields} that the driver reports; null if it reports none. Its type is used for a parameter
   *     if it can store all values; otherwise the driver receives the values' own type and converts them
   * @throws IllegalArgumentException if a value has no type, or the number of values is not that of the parameters
   */
  RecordBatch build(@Nullable Schema known) {
    if (known != null && known.fields().size() != count()) throw new IllegalArgumentException(
        "the prepared query has " + known.fields().size() + " parameters, but " + count() + " values were passed");
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), size())) {
      for (int i = 0; i < count(); i++) {
        List<@Nullable Object> values = column(i);
        if (known == null || !addKnown(batch, known.fields().get(i), values)) add(batch, i + 1, values);
      }
      return batch.build();
    }
  }

  private List<@Nullable Object> column(int index) {
    List<@Nullable Object> values = new ArrayList<>(size());
    for (List<@Nullable Object> row : rows) values.add(row.get(index));
    return values;
  }

  /** Adds a column of the driver's type; returns whether it can store the values. */
  private static boolean addKnown(BatchBuilder batch, Field known, List<@Nullable Object> values) {
    if (known.type().equals(DataType.NULL)) return false; // a parameter of unknown type
    try {
      batch.column(known, values);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static void add(BatchBuilder batch, int position, List<@Nullable Object> values) {
    add(batch, position, ParameterField.of(position, values), values);
  }

  private static void add(BatchBuilder batch, int position, Field field, List<@Nullable Object> values) {
    try {
      batch.column(field, values);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("parameter " + position + " does not fit its column: " + e.getMessage(), e);
    }
  }
}
