package org.arbalest.device.internal.lifetime;

import java.lang.ref.Cleaner;
import java.util.concurrent.ThreadLocalRandom;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * Reports handles that became unreachable while they were open, with the place that made them. On with {@code -Dorg.arbalest.leaks=true}, or, for one in so
 * many handles, which are picked at random, with a number; it frees nothing.
 */
public final class Leaks {
  private static final String PROPERTY = "org.arbalest.leaks";

  /** One in so many handles is watched; 0 if none is. */
  private static final int EVERY = every(System.getProperty(PROPERTY, "false"));

  private static final @Nullable Cleaner CLEANER = EVERY > 0 ? Cleaner.create() : null;

  private Leaks() {}

  private static int every(String said) {
    if (said.equalsIgnoreCase("true")) return 1;
    if (said.equalsIgnoreCase("false")) return 0;
    try {
      int every = Integer.parseInt(said);
      if (every > 0) return every;
    } catch (NumberFormatException _) {
      // As below.
    }
    Faults.warn(PROPERTY + " is true, false or a number from 1 on, not \"" + said + "\": no leak is reported");
    return 0;
  }

  /** Whether to watch the handle that is made now; costs nothing where none is watched, and else the dice. */
  public static boolean isDue() {
    return EVERY > 0 && (EVERY == 1 || ThreadLocalRandom.current().nextInt(EVERY) == 0);
  }

  /** One handle's state; does not refer to the handle. */
  public static final class Watch implements Runnable {
    private final String what;
    private final Origin made = new Origin();
    private volatile String size = "";
    private volatile boolean open;

    Watch(String what) {
      this.what = what;
    }

    public void opened() {
      open = true;
    }

    /** The same, with what is lost if nobody closes it; negative if nobody here knows. */
    public void opened(long bytes) {
      if (bytes >= 0) size = ", " + bytes + " bytes";
      open = true;
    }

    public void closed() {
      open = false;
    }

    @Override
    public void run() {
      if (open) Faults.leak(what + size, made);
    }
  }

  /** The place where a handle was made. */
  private static final class Origin extends Throwable {
    private static final long serialVersionUID = 1L;

    Origin() {
      super("by the thread " + Thread.currentThread().getName());
    }

    /** The headline has said what this is. */
    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  /** Watches a handle: of what kind it is, as users know it, and which one. */
  public static @Nullable Watch watch(Object handle, String what) {
    if (CLEANER == null) return null;
    Watch watch = new Watch(what);
    CLEANER.register(handle, watch);
    return watch;
  }
}
