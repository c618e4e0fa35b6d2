// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.arbalest.spark.internal.vector.ArrowBatches;

/**
 * The metrics of a scan in Spark's UI, in addition to the rows, which Spark counts itself. Spark creates each metric by
 * its class name.
 */
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

  /** The number of batches. */
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

  /** The number of bytes of the columns that Spark reads. */
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

  /** A time in nanoseconds, summed over all tasks and displayed in milliseconds. */
  abstract static class Time implements CustomMetric {
    @Override
    public String aggregateTaskMetrics(long[] values) {
      return TimeUnit.NANOSECONDS.toMillis(Arrays.stream(values).sum()) + " ms";
    }
  }

  /** The time of waiting for the source. */
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

  /** The time of waiting for copies from the source's device. */
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
