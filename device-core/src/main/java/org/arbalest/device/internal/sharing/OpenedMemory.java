// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/**
 * An allocation of another process that is open here, for as many arrays as lie in it. Runtimes differ in what they do with a handle that is open already:
 * so none is opened twice at a time.
 */
final class OpenedMemory {
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Condition CHANGED = LOCK.newCondition();
  private static final Map<Key, OpenedMemory> ALL = new HashMap<>();

  private record Key(ProcessSharing sharing, UUID process, ByteBuffer handle, long bytes) {}

  private final Key key;
  private long base;
  private int users = 1;

  /** It is being opened, or closed, by somebody. */
  private boolean isBusy = true;

  private OpenedMemory(Key key) {
    this.key = key;
  }

  /** Opens an allocation, or uses what is open; to be closed by the caller. Waits for somebody who is just opening or closing it. */
  static OpenedMemory open(ProcessSharing sharing, UUID process, byte[] handle, long bytes) {
    Key key = new Key(sharing, process, ByteBuffer.wrap(handle), bytes);
    OpenedMemory opened;
    LOCK.lock();
    try {
      while (true) {
        opened = ALL.get(key);
        if (opened == null) break;
        if (!opened.isBusy) {
          opened.users++;
          return opened;
        }
        CHANGED.awaitUninterruptibly();
      }
      opened = new OpenedMemory(key);
      ALL.put(key, opened);
    } finally {
      LOCK.unlock();
    }
    boolean isOpen = false;
    try {
      opened.base = sharing.open(handle, bytes);
      isOpen = true;
      return opened;
    } finally {
      opened.settle(!isOpen);
    }
  }

  long base() {
    return base;
  }

  /** One user less; {@code closed} is told when this user's part of it is over. Does not wait. */
  void close(Runnable closed) {
    boolean isLast;
    LOCK.lock();
    try {
      isLast = --users == 0;
      isBusy = isLast;
    } finally {
      LOCK.unlock();
    }
    if (isLast) {
      key.sharing.close(key.handle.array(), base, key.bytes, failure -> closed(failure, closed));
    } else {
      closed.run();
    }
  }

  /** What could not be closed is open still, and the other process is not told that it may free it. */
  private void closed(@Nullable DeviceException failure, Runnable closed) {
    settle(failure == null);
    if (failure == null) {
      closed.run();
    } else {
      Faults.report("closing memory of another process, which stays open", failure);
    }
  }

  private void settle(boolean isGone) {
    LOCK.lock();
    try {
      isBusy = false;
      if (isGone) ALL.remove(key);
      CHANGED.signalAll();
    } finally {
      LOCK.unlock();
    }
  }
}
