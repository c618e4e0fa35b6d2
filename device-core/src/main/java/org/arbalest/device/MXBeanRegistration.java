package org.arbalest.device;

/** A bean in the platform's MBean server, until it is closed; closing twice does nothing. Safe on any thread. */
public interface MXBeanRegistration extends AutoCloseable {
  /** The bean's name, such as {@code org.arbalest:type=Ledger}. */
  String objectName();

  /** Takes the bean out of the server. */
  @Override
  void close();
}
