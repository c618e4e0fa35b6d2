// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.arbalest.device.monitoring.HandleWatch;
import org.arbalest.device.monitoring.ResourceCounters;
import org.jspecify.annotations.Nullable;

/**
 * A check that a piece of code leaves nothing open. It compares the {@link ResourceCounters} before and after the code,
 * and a {@link HandleWatch} names the open resources.
 *
 * <p>The counters belong to the whole process, so no other code may create or release arrays at the same time. Checks
 * may be nested. Two checks that are not nested cannot be in progress at the same time.
 *
 * <p>Any thread may begin and end a check.
 */
public final class LeakCheck {
  /**
   * How long a check waits by default for releases by other threads: 5 seconds. Only a check that finds a leak waits as
   * long.
   */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  static final String PROPERTY = "org.arbalest.leaks";

  private static final ResourceCounters NOTHING = new ResourceCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(1);

  /** The checks in progress, the outer ones first. Guarded by itself. */
  private static final List<LeakCheck> UNDER_WAY = new ArrayList<>();

  /**
   * How long the counters must not change after a failure that left something open, in nanoseconds. No release is in
   * progress then.
   */
  private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * The number of waits that never end, which failed tests have left. Later checks do not wait for them again. Guarded
   * by UNDER_WAY.
   */
  private static long lostWaits;

  /**
   * The counters at their last change, since a check was given up with something left open; null without such a check.
   * Guarded by UNDER_WAY.
   */
  private static @Nullable ResourceCounters unquiet;

  /** The time of that change. Guarded by UNDER_WAY. */
  private static long changed;

  private final String name;
  private final @Nullable LeakCheck around;
  private final @Nullable HandleWatch watch;
  private final ResourceCounters before;

  // The next two fields are guarded by UNDER_WAY.
  /** The resources that inner checks have left open and reported. */
  private ResourceCounters known = NOTHING;

  private final Set<Throwable> knownPlaces = new HashSet<>();

  private LeakCheck(String name, @Nullable LeakCheck around, boolean withPlaces, ResourceCounters before) {
    this.name = name;
    this.around = around;
    this.before = before;
    this.watch = withPlaces || Boolean.getBoolean(PROPERTY) ? HandleWatch.start() : null;
  }

  /**
   * Begins a check like {@link #begin(String, LeakCheck, boolean)}. It is not nested, and it records where resources
   * are created.
   */
  public static LeakCheck begin(String name) {
    return begin(name, null, true);
  }

  /** Begins a check like {@link #begin(String, LeakCheck, boolean, Duration)}, with {@link #PATIENCE}. */
  public static LeakCheck begin(String name, @Nullable LeakCheck around, boolean withPlaces) {
    return begin(name, around, withPlaces, PATIENCE);
  }

  /**
   * Begins a check. The caller ends it with {@link #end} or {@link #giveUp}.
   *
   * <p>Blocks until the work is over that earlier code has left and that releases its resources by itself. After a
   * check that was given up with something left open, it blocks until the counters have not changed for 250
   * milliseconds. A late release does not count as a change of this check then.
   *
   * @param name the checked code, as in "still open after …"
   * @param around the check around this one, or null
   * @param withPlaces whether to record where each resource is created, which costs some microseconds and garbage for
   *     each. {@code -Dorg.arbalest.leaks=true} turns it on in any case. Without it the check only compares numbers: it
   *     misses a leak if an older resource of the same kind is released meanwhile
   * @param patience how long to block at most; work that is still in progress counts as lost then, and no later check
   *     waits for it
   * @throws IllegalStateException if another check is in progress that is not around this one, because a leak could
   *     belong to either
   */
  public static LeakCheck begin(String name, @Nullable LeakCheck around, boolean withPlaces, Duration patience) {
    long start = System.nanoTime();
    while (true) {
      boolean isLost = System.nanoTime() - start >= patience.toNanos();
      LeakCheck check = begin(name, around, withPlaces, isLost);
      if (check != null) return check;
      LockSupport.parkNanos(LOOK_AGAIN);
    }
  }

  /**
   * Begins a check like {@link #begin(String, LeakCheck, boolean, Duration)}, but does not block.
   *
   * @return the check, or null if work is in progress that earlier code has left and that releases its resources by
   *     itself
   */
  public static @Nullable LeakCheck tryBegin(String name, @Nullable LeakCheck around, boolean withPlaces) {
    return begin(name, around, withPlaces, false);
  }

  private static @Nullable LeakCheck begin(String name, @Nullable LeakCheck around, boolean withPlaces,
      boolean isLost) {
    synchronized (UNDER_WAY) {
      for (LeakCheck other : UNDER_WAY) {
        if (!other.isAround(around)) throw new IllegalStateException(besides(name, other.name));
      }
      ResourceCounters now = ResourceCounters.now();
      if (!isLost && !isQuiet(now)) return null;
      if (now.waits() > lostWaits) {
        // a wait ends by itself, even if nothing else changes; it counts as lost only after the whole patience
        if (!isLost) return null;
        lostWaits = now.waits();
      }
      unquiet = null;
      LeakCheck check = new LeakCheck(name, around, withPlaces, now);
      UNDER_WAY.add(check);
      return check;
    }
  }

  /** Returns whether the counters have stopped changing after a check that was given up. Guarded by UNDER_WAY. */
  private static boolean isQuiet(ResourceCounters now) {
    if (unquiet == null) return true;
    if (now.equals(unquiet)) return System.nanoTime() - changed >= QUIET;
    unquiet = now;
    changed = System.nanoTime();
    return false;
  }

  private boolean isAround(@Nullable LeakCheck inner) {
    for (LeakCheck check = inner; check != null; check = check.around) {
      if (check.equals(this)) return true;
    }
    return false;
  }

  private static String besides(String name, String other) {
    return name + " is checked for leaks while " + other
        + " is: open resources are counted for the whole process, so checked tests cannot run at"
        + " the same time. @NoLeaks lets JUnit run them one after another, @Isolate Kotest; or switch parallel "
        + "execution off";
  }

  /** Returns the resources that are open now, or null without any. The check continues. */
  public @Nullable LeakError left() {
    synchronized (UNDER_WAY) {
      ResourceCounters left = ResourceCounters.now().since(before);
      ResourceCounters unknown = left.isZero() ? left : left.since(known);
      List<HandleWatch.Open> open = watch == null ? List.of()
          : watch.open().stream().filter(handle -> !knownPlaces.contains(handle.made())).toList();
      if (unknown.isZero() && open.isEmpty()) return null;
      return new LeakError(name, unknown, open, watch != null);
    }
  }

  /**
   * Ends the check. The checks around this one do not report the same resources again.
   *
   * @param patience how long to wait for releases by other threads, and for copies and events in progress
   * @return the resources that were left open, or null without any
   */
  public @Nullable LeakError end(Duration patience) {
    long start = System.nanoTime();
    LeakError left = left();
    while (left != null && System.nanoTime() - start < patience.toNanos()) {
      LockSupport.parkNanos(LOOK_AGAIN);
      left = left();
    }
    finish(false);
    return left;
  }

  /** Ends the check after a failure, which may have left resources open. They are not reported. */
  public void giveUp() {
    finish(true);
  }

  /**
   * Removes the check.
   *
   * @param isEarly whether the check has not waited for releases by other threads
   */
  private void finish(boolean isEarly) {
    synchronized (UNDER_WAY) {
      if (!UNDER_WAY.remove(this)) return;
      ResourceCounters now = ResourceCounters.now();
      if (isEarly && !now.since(before).isZero()) {
        unquiet = now;
        changed = System.nanoTime();
      }
      if (around != null) around.knows(now.since(before).since(known), this);
      if (watch != null) watch.close();
    }
  }

  /** Records the resources that an inner check has left open, or the earlier ones that it has released. */
  private void knows(ResourceCounters left, LeakCheck inside) {
    known = known.since(NOTHING.since(left));
    knownPlaces.addAll(inside.knownPlaces);
    if (inside.watch != null) inside.watch.open().forEach(handle -> knownPlaces.add(handle.made()));
    if (around != null) around.knows(left, inside);
  }
}
