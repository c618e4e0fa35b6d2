package org.arbalest.device;

import java.lang.ref.Cleaner;
import org.arbalest.device.upcall.Faults;
import org.jspecify.annotations.Nullable;

/**
 * Reports handles that became unreachable while they were open, with the place that made them. On with {@code -Dorg.arbalest.leaks=true}; it
 * frees nothing.
 */
final class Leaks {
  static final boolean ENABLED = Boolean.getBoolean("org.arbalest.leaks");

  private static final @Nullable Cleaner CLEANER = ENABLED ? Cleaner.create() : null;

  private Leaks() {}

  /** One handle's state; does not refer to the handle. */
  static final class Watch implements Runnable {
    private final Throwable made;
    private volatile boolean open;

    Watch(Throwable made) {
      this.made = made;
    }

    void opened() {
      open = true;
    }

    void closed() {
      open = false;
    }

    @Override
    public void run() {
      if (open) Faults.report("closing a handle before it became unreachable", made);
    }
  }

  static @Nullable Watch watch(Object handle) {
    if (CLEANER == null) return null;
    Watch watch = new Watch(new Throwable(handle.getClass().getSimpleName() + " made here was never closed"));
    CLEANER.register(handle, watch);
    return watch;
  }
}
