// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.RuntimeConfig;

/** Settings that executors read, of the application, which a session cannot change. */
public final class ApplicationSettings {
  private static final List<String> NAMES =
      List.of(DeviceSettings.DEVICE, DeviceSettings.RESOURCE, DeviceSettings.TASKS, DeviceSettings.POOL, LeakCheck.OPTION);

  private ApplicationSettings() {}

  /**
   * Refuses what was set in a session and would do nothing.
   *
   * @throws IllegalArgumentException which it is, and where it belongs
   */
  public static void check(RuntimeConfig session, SparkConf application) {
    for (String name : NAMES) {
      String asked = session.get(name, "");
      String has = application.get(name, "");
      if (!asked.isEmpty() && !asked.equals(has)) {
        throw new IllegalArgumentException(
            name + " is " + asked + " in this session, where it does nothing: executors read it of the application, by --conf or SparkSession.builder().config"
                + (has.isEmpty() ? ", and it has none" : ", and there it is " + has));
      }
    }
  }
}
