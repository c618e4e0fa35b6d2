// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.management;

import org.arbalest.device.monitoring.MXBeanRegistration;

/**
 * Registers beans, and queries the JDK's beans. This class does not refer to the JDK's modules java.management and
 * jdk.management, which a runtime image may lack. {@link Beans} refers to them.
 */
public final class Management {
  private Management() {}

  /**
   * Registers a bean.
   *
   * @param kind the type in its name
   * @param instance the name of the instance; empty if the type has only one instance
   */
  public static <T> MXBeanRegistration register(String kind, String instance, T bean, Class<T> type) {
    if (!isThere()) throw new UnsupportedOperationException(
        "the JDK's module java.management is missing: add it to the image, or start the JVM with --add-modules "
            + "java.management");
    String name = "org.arbalest:type=" + kind + (instance.isEmpty() ? "" : ",name=" + Beans.quote(instance));
    Beans.register(name, bean, type);
    return new MXBeanRegistrationImpl(name);
  }

  /**
   * Returns the bytes of main memory that this process may use, of the machine or of its container. Without the JDK's
   * module jdk.management it is an estimate: four times the heap limit, because the default limit is a quarter of the
   * memory.
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
