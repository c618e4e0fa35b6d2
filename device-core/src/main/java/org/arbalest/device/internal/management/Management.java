// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.management;

import org.arbalest.device.monitoring.MXBeanRegistration;

/**
 * Registers beans, and asks the JDK's. Nothing here mentions the JDK's modules java.management and jdk.management,
 * which an image may lack; what does is in {@link Beans}.
 */
public final class Management {
  private Management() {}

  /**
   * Registers a bean.
   *
   * @param kind the type in its name
   * @param instance which one of that type, or empty if there is one only
   */
  public static <T> MXBeanRegistration register(String kind, String instance, T bean, Class<T> type) {
    if (!isThere()) throw new UnsupportedOperationException(
        "the JDK's module java.management is not there: link it into the image, or --add-modules it");
    String name = "org.arbalest:type=" + kind + (instance.isEmpty() ? "" : ",name=" + Beans.quote(instance));
    Beans.register(name, bean, type);
    return new MXBeanRegistrationImpl(name);
  }

  /**
   * The bytes of main memory that this process may use: of the machine, or of its container. Where the JDK's module
   * jdk.management is not there, what the limit of the heap says of that, which is a quarter by default.
   */
  public static long mainMemory() {
    long known = isThere("com.sun.management.OperatingSystemMXBean") ? Beans.mainMemory() : 0;
    return known > 0 ? known : 4 * Math.min(Runtime.getRuntime().maxMemory(), Long.MAX_VALUE / 4);
  }

  private static boolean isThere() {
    return isThere("javax.management.MXBean");
  }

  private static boolean isThere(String type) {
    try {
      return Management.class.getModule().canRead(Class.forName(type).getModule());
    } catch (ClassNotFoundException _) {
      return false;
    }
  }
}
