// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Set;
import org.apache.spark.package$;
import org.apache.spark.sql.Dataset;
import org.jspecify.annotations.Nullable;

/** Whether Spark is of a version whose internals were tested. */
final class Internals {
  private static final String OPTION = "spark.arbalest.columnar";
  private static final Set<String> KNOWN = Set.of("4.2");
  private static final System.Logger LOG = System.getLogger(Internals.class.getName());

  private Internals() {}

  static boolean areKnown(Dataset<?> dataframe) {
    boolean isWanted = Boolean.parseBoolean(dataframe.sparkSession().conf().get(OPTION, "true"));
    String why = isWanted ? whyNot(dataframe) : OPTION + " is false";
    LOG.log(System.Logger.Level.INFO, why == null ? "columns as Spark has them" : "columns of rows, by the public API: " + why);
    return why == null;
  }

  private static @Nullable String whyNot(Dataset<?> dataframe) {
    String version = package$.MODULE$.SPARK_VERSION();
    String minor = version.substring(0, Math.max(0, version.indexOf('.', version.indexOf('.') + 1)));
    if (!KNOWN.contains(minor)) return "Spark is " + version + ", and tested are " + KNOWN;
    if (!(dataframe instanceof org.apache.spark.sql.classic.Dataset<?>)) return "the DataFrame is a " + dataframe.getClass().getName();
    return null;
  }
}
