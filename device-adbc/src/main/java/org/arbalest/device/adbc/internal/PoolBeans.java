// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.arbalest.device.adbc.AdbcPool;
import org.arbalest.device.adbc.AdbcPoolMXBean;

/** The beans of pools. This class is loaded only if the JDK's module java.management is available. */
final class PoolBeans {
  private PoolBeans() {}

  static String register(AdbcPool pool, String name) {
    String objectName = "org.arbalest:type=AdbcPool,name=" + ObjectName.quote(name);
    try {
      server().registerMBean(new StandardMBean(new PoolBean(pool), AdbcPoolMXBean.class, true),
          new ObjectName(objectName));
      return objectName;
    } catch (InstanceAlreadyExistsException e) {
      throw new IllegalStateException(objectName + " is registered already; use another name for each pool", e);
    } catch (JMException e) {
      throw new IllegalArgumentException(objectName + " cannot be registered: " + e, e);
    }
  }

  static void unregister(String objectName) {
    try {
      server().unregisterMBean(new ObjectName(objectName));
    } catch (InstanceNotFoundException _) {
      // The bean is already unregistered.
    } catch (JMException e) {
      throw new IllegalStateException(objectName + " cannot be unregistered: " + e, e);
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }
}
