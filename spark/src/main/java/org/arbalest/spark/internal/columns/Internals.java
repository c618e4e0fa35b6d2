// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import static org.arbalest.spark.internal.task.ApplicationSettings.COLUMNAR;

import java.util.Locale;
import java.util.Set;
import org.apache.spark.package$;
import org.apache.spark.sql.Dataset;
import org.jspecify.annotations.Nullable;

/** Whether Spark is of a version whose internals were tested. */
final class Internals {
  private static final Set<String> KNOWN = Set.of("4.2");
  private static final System.Logger LOG = System.getLogger(Internals.class.getName());

  private Internals() {}

  static boolean areKnown(Dataset<?> dataframe) {
    String why = isWanted(dataframe.sparkSession().conf().get(COLUMNAR, "true")) ? whyNot(package$.MODULE$.SPARK_VERSION()) : COLUMNAR + " is false";
    LOG.log(System.Logger.Level.INFO, why == null ? "columns as Spark has them" : "columns of rows, by the public API: " + why);
    return why == null;
  }

  private static boolean isWanted(String setting) {
    return switch (setting.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(COLUMNAR + " is " + setting + ", and may be true or false");
    };
  }

  private static @Nullable String whyNot(String version) {
    String minor = version.substring(0, Math.max(0, version.indexOf('.', version.indexOf('.') + 1)));
    return KNOWN.contains(minor) ? null : "Spark is " + version + ", and tested are " + KNOWN;
  }
}
