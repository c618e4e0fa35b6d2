// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** What Spark's UI has of a scan. Spark makes each by its name. */
public final class SourceMetrics {
  private static final String BATCHES = "batches";
  private static final String WAITED = "waited";

  private SourceMetrics() {}

  static CustomMetric[] all() {
    return new CustomMetric[] {new Batches(), new Waited()};
  }

  static CustomTaskMetric[] of(long batches, long waitedNanos) {
    return new CustomTaskMetric[] {new Value(BATCHES, batches), new Value(WAITED, waitedNanos)};
  }

  private record Value(String name, long value) implements CustomTaskMetric {}

  /** How many batches came. */
  public static final class Batches extends CustomSumMetric {
    @Override
    public String name() {
      return BATCHES;
    }

    @Override
    public String description() {
      return "batches";
    }
  }

  /** How long was waited for the source, and for the copies from its device. */
  public static final class Waited implements CustomMetric {
    @Override
    public String name() {
      return WAITED;
    }

    @Override
    public String description() {
      return "waited for batches";
    }

    @Override
    public String aggregateTaskMetrics(long[] values) {
      return TimeUnit.NANOSECONDS.toMillis(Arrays.stream(values).sum()) + " ms";
    }
  }
}
