// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.arbalest.device.types.Schema;

/**
 * What a query needs of a source.
 *
 * @param options the user's
 * @param schema the columns that are needed, as the source's schema has them; none where rows are only counted, for
 *     which batches without columns do, of the right length
 * @param predicates conditions that the source has {@linkplain ColumnSource#accepts accepted}, all of which a row must
 *     fulfil
 * @param limit how many rows of each partition are enough, whichever they are; a partition may have more. Without one
 *     all are needed, as where Spark filters by conditions that were not accepted
 */
public record ScanRequest(Map<String, String> options, Schema schema, List<Predicate> predicates, OptionalInt limit) {
  public ScanRequest {
    predicates = List.copyOf(predicates);
  }
}
