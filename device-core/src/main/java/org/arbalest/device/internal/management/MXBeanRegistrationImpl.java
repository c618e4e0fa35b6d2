// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.management;

import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.monitoring.MXBeanRegistration;

/** The registration of a bean, by its name. */
public final class MXBeanRegistrationImpl implements MXBeanRegistration {
  private final String name;
  private final AtomicBoolean closed = new AtomicBoolean();

  MXBeanRegistrationImpl(String name) {
    this.name = name;
  }

  @Override
  public String objectName() {
    return name;
  }

  @Override
  public void close() {
    if (!closed.getAndSet(true)) Beans.unregister(name);
  }

  @Override
  public String toString() {
    return name + (closed.get() ? " (unregistered)" : "");
  }
}
