// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.device.IdleTask;
import org.arbalest.device.internal.device.Worker;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/**
 * An allocation of another process that is open here, for as many arrays as lie in it. Runtimes differ in what they do
 * with a handle that is open already: so none is opened twice at a time. Closing waits for the device, and is done
 * while none has work (DEV-28): who opens it before that has it without a call.
 */
final class OpenedMemory {
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Condition CHANGED = LOCK.newCondition();
  private static final Map<Key, OpenedMemory> ALL = new HashMap<>();

  private record Key(ProcessSharing sharing, UUID process, ByteBuffer handle, long bytes) {}

  private final Key key;
  private final byte[] handle;
  private long base;
  private int users = 1;

  /** It is being opened, or closed, by somebody. */
  private boolean isBusy = true;

  private boolean isGone;

  /** Whoever has left, and is told when it is closed, or when others have it open. */
  private final List<Runnable> left = new ArrayList<>();

  private OpenedMemory(Key key, byte[] handle) {
    this.key = key;
    this.handle = handle;
  }

  /**
   * Opens an allocation, or uses what is open; to be closed by the caller. Waits for somebody who is just opening or
   * closing it.
   */
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
          opened.reportLeft();
          return opened;
        }
        CHANGED.awaitUninterruptibly();
      }
      opened = new OpenedMemory(key, handle);
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

  /**
   * One user less; {@code closed} is told when this user's part of it is over, on a thread of ours that runs other
   * people's code. Does not wait.
   */
  void close(Runnable closed) {
    Worker.RELEASES.start();
    boolean isLast;
    LOCK.lock();
    try {
      isLast = --users == 0;
      left.add(closed);
      if (!isLast) reportLeft();
    } finally {
      LOCK.unlock();
    }
    if (isLast) IdleTask.run(this::closeNow, OpenedMemory::report);
  }

  private void reportLeft() {
    left.forEach(Worker.RELEASES::submit);
    left.clear();
  }

  /** Throws if it could not be closed; then it is open as before. */
  private void closeNow() {
    LOCK.lock();
    try {
      if (isGone || isBusy || users > 0) return; // it is closed, or in use again
      isBusy = true;
    } finally {
      LOCK.unlock();
    }
    boolean isClosed = false;
    try {
      key.sharing.close(handle, base, key.bytes);
      isClosed = true;
    } finally {
      settle(isClosed);
    }
  }

  /** What could not be closed is open still, and the other process is not told that it may free it. */
  private static void report(@Nullable DeviceException failure) {
    if (failure != null) Faults.report("closing memory of another process, which stays open", failure);
  }

  private void settle(boolean isGone) {
    LOCK.lock();
    try {
      isBusy = false;
      this.isGone = isGone;
      if (isGone) {
        ALL.remove(key);
        reportLeft();
      }
      CHANGED.signalAll();
    } finally {
      LOCK.unlock();
    }
  }
}
