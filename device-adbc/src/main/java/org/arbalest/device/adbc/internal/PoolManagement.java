// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.adbc.AdbcPool;

/**
 * The registration of pools in the platform's MBean server. This class does not refer to the JDK's module
 * java.management, which a runtime image may lack. {@link PoolBeans} refers to it.
 */
public final class PoolManagement {
  private PoolManagement() {}

  /** Registers a pool, and returns the name of its bean; see {@link AdbcPool#registerMXBean}. */
  public static String register(AdbcPool pool, String name) {
    if (!isThere()) throw new UnsupportedOperationException(
        "the JDK's module java.management is missing: add it to the image, or start the JVM with --add-modules "
            + "java.management");
    return PoolBeans.register(pool, name);
  }

  /** Unregisters a bean. Does nothing if other code has unregistered it. */
  public static void unregister(String objectName) {
    PoolBeans.unregister(objectName);
  }

  private static boolean isThere() {
    try {
      return PoolManagement.class.getModule().canRead(Class.forName("javax.management.MXBean").getModule());
    } catch (ClassNotFoundException _) {
      return false;
    }
  }
}
