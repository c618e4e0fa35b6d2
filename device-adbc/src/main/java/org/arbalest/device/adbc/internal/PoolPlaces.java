// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The places of a pool for connections, its idle connections, and the threads that wait for one. */
final class PoolPlaces<C extends PooledConnection> {
  /** Guards the pool. Never held during a call of a driver or a logger. All methods require it. */
  final ReentrantLock lock = new ReentrantLock();

  /** The idle connections, the most recently used first. Empty while a thread waits. */
  final Deque<PoolSlot<C>> idle = new ArrayDeque<>();

  /** The threads that wait, in the order in which they receive a connection. */
  final Deque<PoolWaiter<C>> waiters = new ArrayDeque<>();

  /** The actions that the next thread runs after it has released the lock. */
  private final List<Runnable> afterUnlock = new ArrayList<>();

  /** The number of connections that are open or being opened, until the driver has released them. */
  int total;

  boolean isClosed;

  /** Throws if the pool is closed. */
  void checkOpen() {
    if (isClosed) throw new IllegalStateException("the pool is closed");
  }

  /** Runs an action when a thread has released the lock. */
  void afterUnlock(Runnable action) {
    afterUnlock.add(action);
  }

  /** Releases the lock. */
  void unlock() {
    List<Runnable> actions = List.of();
    if (lock.getHoldCount() == 1 && !afterUnlock.isEmpty()) {
      actions = List.copyOf(afterUnlock);
      afterUnlock.clear();
    }
    lock.unlock();
    actions.forEach(Runnable::run);
  }

  /**
   * Passes a connection to the first waiting thread, or makes it idle. Returns false if the pool is closed: then the
   * caller closes the connection.
   */
  boolean hand(PoolSlot<C> slot) {
    if (isClosed) return false;
    PoolWaiter<C> first = waiters.poll();
    if (first == null) {
      slot.isNew = false;
      idle.push(slot);
    } else {
      first.receive(slot);
    }
    return true;
  }
}
