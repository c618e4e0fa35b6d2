// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/** The conditions that a database decides exactly as Spark, also for nulls, in its SQL. */
public record Conditions(QueryColumns columns) {
  /** The most values of an IN. Databases limit the size of a query. */
  private static final int MOST_VALUES = 1000;

  /** Returns the SQL of a condition; null if Spark must decide it. */
  public @Nullable String sql(Predicate condition) {
    Expression[] parts = condition.children();
    return switch (condition.name()) {
      case "AND", "OR" -> {
        String left = nested(parts[0]);
        String right = nested(parts[1]);
        yield left == null || right == null ? null : "(" + left + " " + condition.name() + " " + right + ")";
      }
      case "NOT" -> {
        String inner = nested(parts[0]);
        yield inner == null ? null : "(NOT " + inner + ")";
      }
      case "IS_NULL", "IS_NOT_NULL" -> {
        Field field = columns.column(parts[0]);
        if (field == null) yield null;
        yield "(" + columns.quoted(field) + (condition.name().equals("IS_NULL") ? " IS NULL)" : " IS NOT NULL)");
      }
      case "=", "<>", "<", "<=", ">", ">=" -> comparison(parts[0], condition.name(), parts[1]);
      case "<=>" -> nullSafe(parts[0], parts[1]);
      case "IN" -> in(parts);
      case "STARTS_WITH", "ENDS_WITH", "CONTAINS" -> search(condition.name(), parts[0], parts[1]);
      default -> null;
    };
  }

  private @Nullable String nested(Expression expression) {
    return expression instanceof Predicate inner ? sql(inner) : null;
  }

  private @Nullable String comparison(Expression left, String operator, Expression right) {
    Field field = columns.column(left instanceof Literal ? right : left);
    if (field == null || !columns.kind(field).hasEquality()) return null;
    String first = operand(left, field);
    String second = operand(right, field);
    if (first == null || second == null) return null;
    if (columns.kind(field) != Kind.TEXT) return "(" + first + " " + operator + " " + second + ")";
    boolean hasLiteral = left instanceof Literal || right instanceof Literal;
    return switch (hasLiteral ? operator : "") {
      case "=" -> byBytes(side -> side.apply(first) + " = " + side.apply(second));
      case "<>" -> "(NOT " + byBytes(side -> side.apply(first) + " = " + side.apply(second)) + ")";
      default -> null;
    };
  }

  /** The SQL of a test of text, with each operand in a form that compares in another way. */
  private interface Test {
    String of(UnaryOperator<String> side);
  }

  /**
   * Returns a test of text by its bytes. The same test by the column's collation comes first: it permits an index, and
   * is true for equal bytes in every collation.
   */
  private String byBytes(Test test) {
    return "(" + test.of(UnaryOperator.identity()) + " AND " + test.of(Dialect::bytes) + ")";
  }

  /** Returns a comparison with a literal, which is false for a null in the column. */
  private @Nullable String nullSafe(Expression left, Expression right) {
    Field field = columns.column(left instanceof Literal ? right : left);
    if (field == null || !(left instanceof Literal || right instanceof Literal)) return null;
    String equal = comparison(left, "=", right);
    return equal == null ? null : "(" + columns.quoted(field) + " IS NOT NULL AND " + equal + ")";
  }

  private @Nullable String in(Expression[] parts) {
    Field field = parts.length < 2 || parts.length > MOST_VALUES + 1 ? null : columns.column(parts[0]);
    if (field == null || !columns.kind(field).hasEquality()) return null;
    List<String> values = new ArrayList<>();
    for (int i = 1; i < parts.length; i++) {
      String value = !(parts[i] instanceof Literal<?> literal) ? null
          : literal.value() == null ? "NULL" : literal(literal, field);
      if (value == null) return null;
      values.add(value);
    }
    Test test = side -> side.apply(columns.quoted(field)) + " IN ("
        + String.join(", ", values.stream().map(value -> value.equals("NULL") ? value : side.apply(value)).toList())
        + ")";
    return columns.kind(field) == Kind.TEXT ? byBytes(test) : "(" + test.of(UnaryOperator.identity()) + ")";
  }

  private @Nullable String search(String name, Expression text, Expression part) {
    Field field = columns.column(text);
    if (field == null || columns.kind(field) != Kind.TEXT || !(part instanceof Literal<?> literal)) return null;
    String value = literal(literal, field);
    return value == null ? null : "(" + columns.dialect().search(name, columns.quoted(field), value) + ")";
  }

  /** Returns a side of a comparison with a column. Both sides have one type. */
  private @Nullable String operand(Expression side, Field column) {
    if (side instanceof Literal<?> literal) return literal(literal, column);
    Field field = columns.column(side);
    return field == null || !field.type().equals(column.type()) || columns.kind(field) != columns.kind(column) ? null
        : columns.quoted(field);
  }

  private @Nullable String literal(Literal<?> literal, Field column) {
    return Literals.sql(literal, column, columns.kind(column));
  }
}
