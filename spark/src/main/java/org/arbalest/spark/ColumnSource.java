// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.arbalest.device.types.Schema;

/**
 * Where the columns of a DataFrame come from: {@code spark.read().format("arbalest").option("source",
 * "com.example.Trades").load()}. A public class with a public constructor without parameters; made on the driver,
 * perhaps several times for one query.
 *
 * <p>All methods are called on the driver, and have the options that the user gave with {@code option}. Their names are
 * as they were given, and found whatever their case, as with Spark.
 */
public interface ColumnSource {
  /**
   * The columns that there are. What Spark has no type for is refused when this was called.
   *
   * @throws Exception what the user is told, who loads the DataFrame
   */
  Schema schema(Map<String, String> options) throws Exception;

  /**
   * What a query reads, in parts that become tasks of Spark's; an empty list, if there is nothing to read.
   *
   * @param request which columns of which rows
   */
  List<? extends ColumnPartition> partitions(ScanRequest request) throws Exception;

  /**
   * Whether a condition of Spark's is true of every row of the partitions, neither false nor null, if it is among the
   * {@linkplain ScanRequest#predicates request's}: Spark does not look again then. By default none is taken, and Spark
   * filters. {@code predicate.name()} is an operator, such as {@code =} or {@code AND}, and its children are columns
   * ({@code NamedReference}), literals and further conditions.
   */
  default boolean accepts(Predicate predicate, Map<String, String> options) {
    return false;
  }

  /**
   * How many rows there will be, for Spark's planning, if it is known; an estimate does. A negative number is refused.
   */
  default OptionalLong estimatedRows(ScanRequest request) {
    return OptionalLong.empty();
  }

  /**
   * How many bytes these are, not negative either; by default those of {@link #estimatedRows}, if these are known and
   * have one size: no text, binary, lists or maps. What is small Spark copies to each executor when it is joined with.
   */
  default OptionalLong estimatedBytes(ScanRequest request) {
    return OptionalLong.empty();
  }
}
