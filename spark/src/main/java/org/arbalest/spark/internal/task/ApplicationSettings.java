// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/** Settings of the application, which executors read and a session cannot change, and the one of the session. */
public final class ApplicationSettings {
  /** Whether columns are had as Spark has them, by a session. */
  public static final String COLUMNAR = "spark.arbalest.columnar";

  private static final String PREFIX = "spark.arbalest.";
  private static final List<String> NAMES =
      List.of(DeviceSettings.DEVICE, DeviceSettings.RESOURCE, DeviceSettings.TASKS, DeviceSettings.POOL,
          LeakCheck.OPTION);

  private ApplicationSettings() {}

  /**
   * Refuses what was set and would do nothing: names that nobody knows, and in a session what is the application's.
   *
   * @throws IllegalArgumentException which it is, and where it belongs
   */
  public static void check(SparkSession of) {
    RuntimeConfig session = of.conf();
    SparkConf application = of.sparkContext().getConf();
    for (String name : CollectionConverters.asJava(session.getAll()).keySet()) { // it has the application's, too
      if (name.startsWith(PREFIX) && !name.equals(COLUMNAR) && !NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "there is no setting " + name + ", but " + COLUMNAR + ", " + String.join(", ", NAMES));
      }
    }
    for (String name : NAMES) {
      String asked = session.get(name, "");
      String has = application.get(name, "");
      if (!asked.isEmpty() && !asked.equals(has)) {
        throw new IllegalArgumentException(
            name + " is " + asked
                + " in this session, where it does nothing: executors read it of the application, by --conf or "
                + "SparkSession.builder().config"
                + (has.isEmpty() ? ", and it has none" : ", and there it is " + has));
      }
    }
  }
}
