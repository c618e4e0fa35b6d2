// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.management;

import org.arbalest.device.MXBeanRegistration;

/** Registers beans. Nothing here mentions the JDK's module java.management, which an image may lack; what does is in {@link Beans}. */
public final class Management {
  private Management() {}

  /**
   * Registers a bean.
   *
   * @param kind the type in its name
   * @param instance which one of that type, or empty if there is one only
   */
  public static <T> MXBeanRegistration register(String kind, String instance, T bean, Class<T> type) {
    if (!isThere()) throw new UnsupportedOperationException("the JDK's module java.management is not there: link it into the image, or --add-modules it");
    String name = "org.arbalest:type=" + kind + (instance.isEmpty() ? "" : ",name=" + Beans.quote(instance));
    Beans.register(name, bean, type);
    return new MXBeanRegistrationImpl(name);
  }

  private static boolean isThere() {
    try {
      return Management.class.getModule().canRead(Class.forName("javax.management.MXBean").getModule());
    } catch (ClassNotFoundException _) {
      return false;
    }
  }
}
