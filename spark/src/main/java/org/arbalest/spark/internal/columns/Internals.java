// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import static org.arbalest.spark.internal.task.ApplicationSettings.COLUMNAR;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.package$;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The decision whether to use Spark's internals: only in a tested version, and if the user does not switch them off.
 */
final class Internals {
  private static final Set<String> KNOWN = Set.of("4.2");

  /** The application that was warned last. A JVM has one at a time. */
  private static final AtomicReference<String> WARNED = new AtomicReference<>("");

  private Internals() {}

  /** Returns the reason for not using internals; null if internals are used. */
  static @Nullable String whyNot(Dataset<?> dataframe) {
    SparkSession session = dataframe.sparkSession();
    if (!isWanted(session.conf().get(COLUMNAR, "true"))) return COLUMNAR + " is false";
    String why = whyNot(package$.MODULE$.SPARK_VERSION());
    if (why != null) warn(session.sparkContext().applicationId(), why);
    return why;
  }

  /** Warns once per application that functions read rows, which is several times slower. */
  static void warn(String application, String why) {
    if (application.equals(WARNED.getAndSet(application))) return;
    System.getLogger(Internals.class.getName()).log(System.Logger.Level.WARNING, "functions over columns read rows by "
        + "Spark's public API, which is several times slower, since " + why);
  }

  private static boolean isWanted(String setting) {
    return switch (setting.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(COLUMNAR + " is " + setting + ", but must be true or false");
    };
  }

  static @Nullable String whyNot(String version) {
    String minor = version.substring(0, Math.max(0, version.indexOf('.', version.indexOf('.') + 1)));
    return KNOWN.contains(minor) ? null : "Spark is " + version + ", but only these versions are tested: " + KNOWN;
  }
}
