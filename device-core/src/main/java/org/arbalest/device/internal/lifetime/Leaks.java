package org.arbalest.device.internal.lifetime;

import java.lang.ref.Cleaner;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * Reports handles that became unreachable while they were open, with the place that made them. On with {@code -Dorg.arbalest.leaks=true}; it
 * frees nothing.
 */
public final class Leaks {
  public static final boolean ENABLED = Boolean.getBoolean("org.arbalest.leaks");

  private static final @Nullable Cleaner CLEANER = ENABLED ? Cleaner.create() : null;

  private Leaks() {}

  /** One handle's state; does not refer to the handle. */
  public static final class Watch implements Runnable {
    private final Throwable made;
    private volatile boolean open;

    public Watch(Throwable made) {
      this.made = made;
    }

    public void opened() {
      open = true;
    }

    public void closed() {
      open = false;
    }

    @Override
    public void run() {
      if (open) Faults.report("closing a handle before it became unreachable", made);
    }
  }

  /** Watches a handle of the kind that users know it by. */
  public static @Nullable Watch watch(Object handle, String kind) {
    if (CLEANER == null) return null;
    Watch watch = new Watch(new Throwable(kind + " made here was never closed"));
    CLEANER.register(handle, watch);
    return watch;
  }
}
