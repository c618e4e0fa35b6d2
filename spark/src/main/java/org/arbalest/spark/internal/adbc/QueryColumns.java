// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** The columns of a query, with their kinds in the database, and their names in its SQL. */
public final class QueryColumns {
  private final Dialect dialect;
  private final Schema schema;
  private final Map<String, Kind> kinds = new HashMap<>();
  private final String quote;

  /**
   * @param types the database's names of the columns' types, by column; columns that are absent have no kind
   * @param quote the quotation mark of names
   */
  QueryColumns(Dialect dialect, Schema schema, Map<String, String> types, String quote) {
    this.dialect = dialect;
    this.schema = schema;
    this.quote = quote;
    for (Field field : schema.fields()) {
      String type = types.get(field.name());
      Kind kind = type == null ? null : dialect.kind(type, field.type());
      if (kind != null && isUnique(field.name())) kinds.put(field.name(), kind);
    }
  }

  /** Returns whether no other column has the name; some databases ignore its case even in quotation marks. */
  private boolean isUnique(String name) {
    return schema.fields().stream().filter(field -> field.name().equalsIgnoreCase(name)).count() == 1;
  }

  public Dialect dialect() {
    return dialect;
  }

  /** Returns the column that an expression is, if the column has a kind; null otherwise, as for a part of a struct. */
  @Nullable
  Field column(Expression expression) {
    if (!(expression instanceof NamedReference reference) || reference.fieldNames().length != 1) return null;
    String name = reference.fieldNames()[0];
    return kinds.containsKey(name) ? schema.field(name) : null;
  }

  /** Returns the kind of a column that {@link #column} returned. */
  Kind kind(Field column) {
    Kind kind = kinds.get(column.name());
    if (kind == null) throw new IllegalArgumentException("no kind is known of column " + column.name());
    return kind;
  }

  String quoted(Field column) {
    return AdbcOptions.quoted(column.name(), quote);
  }

  /** Returns whether the database sorts the values of a column as Spark. */
  boolean ranks(Expression expression) {
    Field column = column(expression);
    return column != null && dialect.ranks(kind(column));
  }

  /** Returns the SQL of an order that the database has, after {@code ORDER BY}. */
  public String order(List<SortOrder> orders) {
    return order(orders, expression -> {
      Field column = column(expression);
      if (column == null) throw notAccepted(expression);
      return quoted(column);
    });
  }

  /** Returns the SQL of an order of operands. */
  static String order(List<SortOrder> orders, Function<Expression, String> operand) {
    return orders.stream().map(order -> operand.apply(order.expression())
        + (order.direction() == SortDirection.ASCENDING ? " ASC" : " DESC") + switch (order.nullOrdering()) {
          case NULLS_FIRST -> " NULLS FIRST";
          case NULLS_LAST -> " NULLS LAST";
        }).collect(Collectors.joining(", "));
  }

  static IllegalArgumentException notAccepted(Expression expression) {
    return new IllegalArgumentException("AdbcSource has not accepted " + expression);
  }
}
