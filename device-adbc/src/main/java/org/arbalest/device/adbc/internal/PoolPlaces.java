// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/** The places of a pool for connections, its idle connections, and the threads that wait for one. */
final class PoolPlaces<C extends PooledConnection> {
  /** Guards the pool. Never held during a call of a driver. All methods require it. */
  final ReentrantLock lock = new ReentrantLock();

  /** The idle connections, the most recently used first. Empty while a thread waits. */
  final Deque<PoolSlot<C>> idle = new ArrayDeque<>();

  /** The threads that wait, in the order in which they receive a connection. */
  final Deque<PoolWaiter<C>> waiters = new ArrayDeque<>();

  /** The number of connections that are open or being opened. */
  int total;

  boolean isClosed;

  /** Throws if the pool is closed. */
  void checkOpen() {
    if (isClosed) throw new IllegalStateException("the pool is closed");
  }

  /** Passes a connection to the first waiting thread, or makes it idle. */
  void hand(PoolSlot<C> slot) {
    PoolWaiter<C> first = waiters.poll();
    if (first == null) {
      slot.isNew = false;
      idle.push(slot);
    } else {
      first.receive(slot);
    }
  }
}
