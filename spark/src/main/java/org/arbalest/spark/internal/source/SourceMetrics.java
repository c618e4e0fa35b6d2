// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.arbalest.spark.internal.vector.ArrowBatches;

/** What Spark's UI has of a scan, beside the rows, which Spark counts itself. Spark makes each by its name. */
public final class SourceMetrics {
  private static final String BATCHES = "batches";
  private static final String BYTES = "bytes";
  private static final String WAITED = "waited";
  private static final String COPIED = "copied";

  private SourceMetrics() {}

  static CustomMetric[] all() {
    return new CustomMetric[] {new Batches(), new Bytes(), new Waited(), new Copied()};
  }

  static CustomTaskMetric[] of(ArrowBatches batches) {
    return new CustomTaskMetric[] {
        new Value(BATCHES, batches.count()), new Value(BYTES, batches.bytes()),
        new Value(WAITED, batches.waitedNanos()),
        new Value(COPIED, batches.copiedNanos())
    };
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

  /** How many bytes they have, of the columns that are read. */
  public static final class Bytes extends CustomSumMetric {
    @Override
    public String name() {
      return BYTES;
    }

    @Override
    public String description() {
      return "bytes of columns";
    }
  }

  /** A time, of all tasks together. */
  abstract static class Time implements CustomMetric {
    @Override
    public String aggregateTaskMetrics(long[] values) {
      return TimeUnit.NANOSECONDS.toMillis(Arrays.stream(values).sum()) + " ms";
    }
  }

  /** How long was waited for the source. */
  public static final class Waited extends Time {
    @Override
    public String name() {
      return WAITED;
    }

    @Override
    public String description() {
      return "waited for the source";
    }
  }

  /** How long was waited for copies from its device. */
  public static final class Copied extends Time {
    @Override
    public String name() {
      return COPIED;
    }

    @Override
    public String description() {
      return "waited for copies from its device";
    }
  }
}
