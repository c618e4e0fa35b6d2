// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;

/**
 * The names of options whose values Spark omits from plans, the UI and the event log. Spark knows names such as
 * {@code password} and {@code url}. A driver's options have others, and its {@code uri} may contain a password.
 */
final class Redaction {
  private static final String REGEX = "spark.sql.redaction.options.regex";
  private static final String DRIVERS_OPTIONS = "(?i)^(?:database|connection)[.]";

  private Redaction() {}

  /** Adds the names of all options of drivers to the setting of the current session. Plans are displayed later. */
  static void add() {
    SparkSession session =
        SparkSession.getActiveSession().getOrElse(() -> SparkSession.getDefaultSession().getOrElse(() -> null));
    if (session == null) return;
    RuntimeConfig conf = session.conf();
    String regex = conf.get(REGEX);
    if (!regex.contains(DRIVERS_OPTIONS)) conf.set(REGEX, "(?:" + regex + ")|" + DRIVERS_OPTIONS);
  }
}
