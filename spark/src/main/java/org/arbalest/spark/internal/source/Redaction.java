// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.BoxedUnit;

/**
 * The options whose values Spark omits from plans, the UI and the event log. Spark knows names such as {@code password}
 * and {@code url}. A driver's options have others, and a URI may contain a password. Spark compares the expression with
 * names and with values.
 *
 * <p>Spark finds this class through a {@code ServiceLoader}, and adds it to each session before the session's first
 * plan.
 */
public final class Redaction implements SparkSessionExtensionsProvider {
  private static final String REGEX = "spark.sql.redaction.options.regex";
  private static final String SECRETS = "(?i)^(?:database|connection)[.]|://[^/?#]*@";

  /** For Spark. */
  public Redaction() {}

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectCheckRule(session -> {
      add(session);
      return _ -> {
        add(session); // RESET has removed it
        return BoxedUnit.UNIT;
      };
    });
    return BoxedUnit.UNIT;
  }

  /** Adds the expression to the current session, which may be older than this module's jar. */
  static void add() {
    SparkSession session =
        SparkSession.getActiveSession().getOrElse(() -> SparkSession.getDefaultSession().getOrElse(() -> null));
    if (session != null) add(session);
  }

  private static void add(SparkSession session) {
    RuntimeConfig conf = session.conf();
    String regex = conf.get(REGEX);
    if (!regex.contains(SECRETS)) conf.set(REGEX, "(?:" + regex + ")|" + SECRETS);
  }
}
