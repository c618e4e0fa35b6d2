// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Objects;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.MeteredMemory;
import org.arbalest.device.internal.device.MemoryPoolImpl;
import org.arbalest.device.internal.device.MeteredMemoryImpl;
import org.arbalest.device.internal.management.MXBeanRegistrationImpl;

/**
 * A registration of a bean in the platform's MBean server, until it is closed. Closing twice does nothing. All methods
 * may be called from any thread.
 */
@CheckReturnValue
public sealed interface MXBeanRegistration extends AutoCloseable permits MXBeanRegistrationImpl {
  /**
   * Registers a bean, {@code org.arbalest:type=MemoryPool,name="…"}, with the values of {@link MemoryPool#statistics}.
   *
   * <p>The caller closes the registration, which removes the bean. To close the pool does not remove it, and the bean
   * keeps the pool's statistics reachable.
   *
   * @param name the pool's name for people
   * @throws IllegalStateException if a bean with this name is registered
   * @throws UnsupportedOperationException if the JDK's module {@code java.management} is absent
   */
  static MXBeanRegistration of(MemoryPool pool, String name) {
    return MemoryPoolImpl.unwrap(Objects.requireNonNull(pool, "pool")).registerMXBean(name);
  }

  /**
   * Registers a bean, {@code org.arbalest:type=MeteredMemory,name="…"}, with the values of
   * {@link MeteredMemory#statistics}; see {@link #of(MemoryPool, String)}.
   *
   * @param name the memory's name for people
   */
  static MXBeanRegistration of(MeteredMemory memory, String name) {
    return MeteredMemoryImpl.unwrap(Objects.requireNonNull(memory, "memory")).registerMXBean(name);
  }

  /** Returns the bean's name, such as {@code org.arbalest:type=ResourceCounters}. */
  String objectName();

  /** Removes the bean from the server. */
  @Override
  void close();
}
