// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open statements and results of a connection while a lease of a pool uses it. A connection without a pool keeps
 * none. Any thread may use this.
 */
final class LeasedObjects {
  /** Null without a lease. */
  private volatile @Nullable Set<Leased> open;

  /** An object that ends with the lease. */
  interface Leased {
    /** Closes the object, whose calls then throw {@link IllegalStateException}. */
    void endLease();
  }

  void begin() {
    open = ConcurrentHashMap.newKeySet();
  }

  boolean hasBegun() {
    return open != null;
  }

  void opened(Leased object) {
    Set<Leased> all = open;
    if (all != null) all.add(object);
  }

  void closed(Leased object) {
    Set<Leased> all = open;
    if (all != null) all.remove(object);
  }

  /** Closes the open objects; returns the first failure, to which the others are added. */
  @Nullable
  RuntimeException end() {
    Set<Leased> all = open;
    open = null;
    if (all == null) return null;
    RuntimeException failure = null;
    for (Leased object : all) failure = PoolConnections.after(failure, object::endLease);
    return failure;
  }
}
