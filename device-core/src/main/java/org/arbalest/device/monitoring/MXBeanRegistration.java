// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import org.arbalest.device.internal.management.MXBeanRegistrationImpl;

/** A bean in the platform's MBean server, until it is closed; closing twice does nothing. Safe on any thread. */
public sealed interface MXBeanRegistration extends AutoCloseable permits MXBeanRegistrationImpl {
  /** The bean's name, such as {@code org.arbalest:type=Ledger}. */
  String objectName();

  /** Takes the bean out of the server. */
  @Override
  void close();
}
