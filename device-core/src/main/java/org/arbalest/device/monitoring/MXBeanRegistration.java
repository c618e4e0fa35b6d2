// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import java.util.Objects;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.MeteredMemory;
import org.arbalest.device.internal.device.MemoryPoolImpl;
import org.arbalest.device.internal.device.MeteredMemoryImpl;
import org.arbalest.device.internal.management.MXBeanRegistrationImpl;

/** A bean in the platform's MBean server, until it is closed; closing twice does nothing. Safe on any thread. */
public sealed interface MXBeanRegistration extends AutoCloseable permits MXBeanRegistrationImpl {
  /**
   * Registers a bean, {@code org.arbalest:type=MemoryPool,name="…"}, that says what {@link MemoryPool#statistics} does.
   * Closed by its caller, who takes it out again; closing the pool does not, and the bean keeps the pool's statistics
   * reachable.
   *
   * @param name which pool it is, for people
   * @throws IllegalStateException if another is registered by this name
   * @throws UnsupportedOperationException if the JDK's module {@code java.management} is not there
   */
  static MXBeanRegistration of(MemoryPool pool, String name) {
    return MemoryPoolImpl.unwrap(Objects.requireNonNull(pool, "pool")).registerMXBean(name);
  }

  /**
   * Registers a bean, {@code org.arbalest:type=MeteredMemory,name="…"}, that says what {@link MeteredMemory#statistics}
   * does; see {@link #of(MemoryPool, String)}.
   *
   * @param name which memory it is, for people
   */
  static MXBeanRegistration of(MeteredMemory memory, String name) {
    return MeteredMemoryImpl.unwrap(Objects.requireNonNull(memory, "memory")).registerMXBean(name);
  }

  /** The bean's name, such as {@code org.arbalest:type=ResourceCounters}. */
  String objectName();

  /** Takes the bean out of the server. */
  @Override
  void close();
}
