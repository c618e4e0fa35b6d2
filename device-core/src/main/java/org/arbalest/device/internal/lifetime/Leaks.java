// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.ref.Cleaner;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.recording.Recording;
import org.jspecify.annotations.Nullable;

/**
 * Reports handles that became unreachable while they were open, with the place that made them. On with
 * {@code -Dorg.arbalest.leaks=true}, or, for one in so many handles, which are picked at random, with a number; it
 * frees nothing. While somebody {@linkplain #follow follows}, all that are made are known.
 */
public final class Leaks {
  private static final String PROPERTY = "org.arbalest.leaks";

  /** One in so many handles is watched; 0 if none is. */
  private static final int EVERY = every(System.getProperty(PROPERTY, "false"));

  private static final @Nullable Cleaner CLEANER = EVERY > 0 ? Cleaner.create() : null;

  /** How many follow; written under the lock of this class, and looked at for each handle that is made. */
  private static volatile int followers;

  private static final AtomicLong NUMBERS = new AtomicLong();

  /** What is open, of that which was made while somebody followed. */
  private static final Set<Watch> OPEN = ConcurrentHashMap.newKeySet();

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

  /** Whether to watch the handle that is made now; costs a look at a field where none is watched, and else the dice. */
  public static boolean isDue() {
    return followers != 0 || (EVERY > 0 && (EVERY == 1 || ThreadLocalRandom.current().nextInt(EVERY) == 0));
  }

  /** Whether all that is made now is known to somebody. */
  public static boolean isFollowed() {
    return followers != 0;
  }

  /** From now on all that is made is known, until {@link #unfollow}; the number to ask {@link #open} with. */
  public static synchronized long follow() {
    if (followers == 0) OPEN.clear(); // of what was made while somebody followed, and opened since
    followers = followers + 1;
    return NUMBERS.incrementAndGet();
  }

  /** One follower less; once for each {@link #follow}. */
  public static synchronized void unfollow() {
    followers = followers - 1;
    if (followers == 0) OPEN.clear();
  }

  /** What is open, of that which was made since the call of {@link #follow} that gave this number; the oldest first. */
  public static List<Watch> open(long since) {
    return OPEN.stream().filter(watch -> watch.number > since).sorted(Comparator.comparingLong(watch -> watch.number))
        .toList();
  }

  /** One handle's state; does not refer to the handle. */
  public static final class Watch implements Runnable {
    private final String what;
    private final Origin made = new Origin();

    /** 0 if nobody follows. */
    private final long number = followers == 0 ? 0 : NUMBERS.incrementAndGet();

    private volatile String size = "";
    private volatile boolean open;

    Watch(String what) {
      this.what = what;
    }

    public void opened() {
      open = true;
      if (number != 0) OPEN.add(this);
    }

    /** The same, with what is lost if nobody closes it; negative if nobody here knows. */
    public void opened(long bytes) {
      if (bytes >= 0) size = ", " + bytes + " bytes";
      opened();
    }

    public void closed() {
      open = false;
      if (number != 0) OPEN.remove(this);
    }

    /** Of what kind it is, which one, and how large. */
    public String what() {
      return what + size;
    }

    /** The place where it was made. */
    public Throwable made() {
      return made;
    }

    @Override
    public void run() {
      if (!open) return;
      Faults.leak(what(), made);
      Recording.leak(what(), made);
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
  public static Watch watch(Object handle, String what) {
    Watch watch = new Watch(what);
    if (CLEANER != null) CLEANER.register(handle, watch);
    return watch;
  }

  /**
   * What is held by a slot and lives on in it, so that nobody can tell by its reachability: known while somebody
   * follows, and null else.
   */
  public static @Nullable Watch followed(String what) {
    return followers == 0 ? null : new Watch(what);
  }
}
