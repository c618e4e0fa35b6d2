// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.management;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/**
 * Registers beans in the platform's MBean server. This class is loaded only if the JDK's module java.management is
 * available.
 */
final class Beans {
  private Beans() {}

  static <T> void register(String name, T bean, Class<T> type) {
    try {
      server().registerMBean(new StandardMBean(bean, type, true), new ObjectName(name));
    } catch (InstanceAlreadyExistsException e) {
      throw new IllegalStateException(name + " is registered already", e);
    } catch (JMException e) {
      throw new IllegalArgumentException(name + " cannot be registered: " + message(e), e);
    }
  }

  /** Unregisters a bean. Does nothing if other code has unregistered it. */
  static void unregister(String name) {
    try {
      server().unregisterMBean(new ObjectName(name));
    } catch (InstanceNotFoundException _) {
      // The bean is already unregistered.
    } catch (JMException e) {
      throw new IllegalStateException(name + " cannot be unregistered: " + message(e), e);
    }
  }

  static String quote(String value) {
    return ObjectName.quote(value);
  }

  static long mainMemory() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }

  private static @Nullable String message(JMException e) {
    return e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }
}
