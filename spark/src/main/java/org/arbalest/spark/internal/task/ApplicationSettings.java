// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The settings of the application, which executors read and a session cannot change, and the one setting of a session.
 */
public final class ApplicationSettings {
  /** The setting of a session that selects Spark's columns, or rows of its public API. */
  public static final String COLUMNAR = "spark.arbalest.columnar";

  private static final String PREFIX = "spark.arbalest.";
  private static final List<String> NAMES =
      List.of(DeviceSettings.DEVICE, DeviceSettings.RESOURCE, DeviceSettings.TASKS, DeviceSettings.POOL,
          LeakCheck.OPTION);

  private ApplicationSettings() {}

  /**
   * Rejects settings without an effect: unknown names, and in a session the settings of the application.
   *
   * @throws IllegalArgumentException with the setting, and where to set it
   */
  public static void check(SparkSession of) {
    RuntimeConfig session = of.conf();
    SparkConf application = of.sparkContext().getConf();
    // it includes the settings of the application
    for (String name : CollectionConverters.asJava(session.getAll()).keySet()) {
      if (name.startsWith(PREFIX) && !name.equals(COLUMNAR) && !NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "there is no setting " + name + "; there are " + COLUMNAR + ", " + String.join(", ", NAMES));
      }
    }
    for (String name : NAMES) {
      String asked = session.get(name, "");
      String has = application.get(name, "");
      if (!asked.isEmpty() && !asked.equals(has)) {
        throw new IllegalArgumentException(
            name + " is " + asked
                + " in this session, where it has no effect: executors read it from the application, set by --conf or "
                + "SparkSession.builder().config"
                + (has.isEmpty() ? ", and it has none" : ", and there it is " + has));
      }
    }
  }
}
