// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
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
 * Reports handles that became unreachable while they were open, with the place that made them. It frees nothing.
 *
 * <p>{@code -Dorg.arbalest.leaks=true} turns it on for all handles. With a number n instead of {@code true}, one in n
 * handles is watched, picked at random. While there is a {@linkplain #follow follower}, all new handles are known.
 */
public final class Leaks {
  private static final String PROPERTY = "org.arbalest.leaks";

  /** One in this number of handles is watched; 0 if none is watched. */
  private static final int EVERY = every(System.getProperty(PROPERTY, "false"));

  private static final @Nullable Cleaner CLEANER = EVERY > 0 ? Cleaner.create() : null;

  /** The number of followers. Written under the lock of this class, and read for each new handle. */
  private static volatile int followers;

  private static final AtomicLong NUMBERS = new AtomicLong();

  /** The open handles that were made while there was a follower. */
  private static final Set<Watch> OPEN = ConcurrentHashMap.newKeySet();

  private Leaks() {}

  private static int every(String said) {
    if (said.equalsIgnoreCase("true")) return 1;
    if (said.equalsIgnoreCase("false")) return 0;
    try {
      int every = Integer.parseInt(said);
      if (every > 0) return every;
    } catch (NumberFormatException _) {
      // The message below has the allowed values.
    }
    Faults.warn(PROPERTY + " is true, false or a number from 1 on, not \"" + said + "\": no leak is reported");
    return 0;
  }

  /**
   * Returns whether to watch a new handle. Costs one read of a field while no handle is watched, and otherwise a random
   * number.
   */
  public static boolean isDue() {
    return followers != 0 || (EVERY > 0 && (EVERY == 1 || ThreadLocalRandom.current().nextInt(EVERY) == 0));
  }

  /** Returns whether all new handles are known to a follower. */
  public static boolean isFollowed() {
    return followers != 0;
  }

  /**
   * Starts to follow: until {@link #unfollow}, all new handles are known. Returns the number to pass to {@link #open}.
   */
  public static synchronized long follow() {
    if (followers == 0) OPEN.clear(); // handles that were made while there was a follower, and opened after it had left
    followers = followers + 1;
    return NUMBERS.incrementAndGet();
  }

  /** Removes one follower. To be called once for each {@link #follow}. */
  public static synchronized void unfollow() {
    followers = followers - 1;
    if (followers == 0) OPEN.clear();
  }

  /**
   * Returns the open handles that were made after the call of {@link #follow} that returned this number, the oldest
   * first.
   */
  public static List<Watch> open(long since) {
    return OPEN.stream().filter(watch -> watch.number > since).sorted(Comparator.comparingLong(watch -> watch.number))
        .toList();
  }

  /** The state of one handle. It does not refer to the handle. */
  public static final class Watch implements Runnable {
    private final String what;
    private final Origin made = new Origin();

    /** 0 if there is no follower. */
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

    /** Marks the handle as open. {@code bytes} is the memory that a leak would lose; negative if it is unknown. */
    public void opened(long bytes) {
      if (bytes >= 0) size = ", " + bytes + " bytes";
      opened();
    }

    /** Marks an object as closed whose reachability nothing watches. */
    public void closed() {
      open = false;
      if (number != 0) OPEN.remove(this);
    }

    /**
     * Marks the handle as closed. It stays reachable until then. Otherwise the collector could find it unreachable
     * inside its own {@code close}, and the handle would be reported.
     */
    public void closed(Object handle) {
      try {
        closed();
      } finally {
        Reference.reachabilityFence(handle);
      }
    }

    /** Returns the handle's kind, name and size. */
    public String what() {
      return what + size;
    }

    /** Returns the place where the handle was made, with the lines that the source has. */
    public Throwable made() {
      made.findLines();
      return made;
    }

    @Override
    public void run() {
      if (!open) return;
      Faults.leak(what(), made());
      Recording.leak(what(), made());
    }
  }

  /** The place where a handle was made. */
  private static final class Origin extends Throwable {
    private static final long serialVersionUID = 1L;

    private boolean hasLines;

    Origin() {
      super("by the thread " + Thread.currentThread().getName());
    }

    /** Reads class files, so it is called only for a report. */
    synchronized void findLines() {
      if (!hasLines) InlinedLines.replace(this);
      hasLines = true;
    }

    /** The headline of the log entry already describes this. */
    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  /** Watches a handle. {@code what} is its kind, in the user's words, and its name. */
  public static Watch watch(Object handle, String what) {
    Watch watch = new Watch(what);
    if (CLEANER != null) CLEANER.register(handle, watch);
    return watch;
  }

  /**
   * Returns a watch for an object that a slot holds; null without a follower. The slot keeps the object reachable, so
   * its reachability says nothing about a leak.
   */
  public static @Nullable Watch followed(String what) {
    return followers == 0 ? null : new Watch(what);
  }
}
