// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.util.List;
import org.apache.spark.sql.Row;

/** The expected results of the queries, computed from the row numbers, without Spark and without the library. */
final class Answer {
  private final long[] counts = new long[Numbers.KEYS];
  private final long[] ids = new long[Numbers.KEYS];
  private final double[] values = new double[Numbers.KEYS];
  private final long[] mostOthers = new long[Numbers.KEYS];
  private long total;

  private Answer() {}

  static Answer of(long rows) {
    var answer = new Answer();
    for (long id = 0; id < rows; id++) answer.add(id);
    return answer;
  }

  private void add(long id) {
    int key = Numbers.key(id);
    counts[key]++;
    ids[key] += id;
    values[key] += Numbers.value(id);
    total += id + key + (long) Numbers.value(id);
    if (Numbers.isOtherNull(id)) return;
    mostOthers[key] = Math.max(mostOthers[key], Numbers.other(id));
    total += Numbers.other(id);
  }

  /** Checks the rows of the query: key, count, sums of ids and values, and maximum of the other values. */
  void check(List<Row> groups) {
    if (groups.size() != Numbers.KEYS)
      throw new IllegalStateException("the query returned " + groups.size() + " groups, not " + Numbers.KEYS);
    for (Row group : groups) {
      int key = group.getInt(0);
      boolean isRight =
          group.getLong(1) == counts[key] && group.getLong(2) == ids[key] && group.getDouble(3) == values[key]
              && group.getLong(4) == mostOthers[key];
      if (!isRight) throw new IllegalStateException("the query returned a wrong row for key " + key + ": " + group);
    }
  }

  /** Checks the sum of the sums of all partitions. */
  void check(Iterable<Long> sums) {
    long sum = 0;
    for (long each : sums) sum += each;
    if (sum != total) throw new IllegalStateException("the sum of the partitions is " + sum + ", not " + total);
  }
}
