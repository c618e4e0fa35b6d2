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
 * An allocation of another process that is open here, shared by all arrays in it.
 *
 * <p>Runtimes differ in how they treat a handle that is open already. Therefore no handle is opened twice at the same
 * time. Closing waits for the device, and is deferred to an idle period (DEV-28). A caller that opens the memory before
 * then reuses it without a driver call.
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

  /** Whether a thread is opening or closing it. */
  private boolean isBusy = true;

  private boolean isGone;

  /** The callbacks of former users. They run when the memory is closed, or when other users have it open. */
  private final List<Runnable> left = new ArrayList<>();

  private OpenedMemory(Key key, byte[] handle) {
    this.key = key;
    this.handle = handle;
  }

  /**
   * Opens an allocation, or reuses one that is open. The caller must close it. Blocks while another thread opens or
   * closes the same allocation.
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
   * Removes one user. The {@code closed} callback runs when this user's part has ended, on the worker thread that runs
   * callbacks of other libraries. Does not block.
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

  /** Closes the memory. If this throws, the memory is open as before. */
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

  /**
   * Reports that the memory could not be closed. It stays open, and the other process is not notified that it may free
   * it.
   */
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
