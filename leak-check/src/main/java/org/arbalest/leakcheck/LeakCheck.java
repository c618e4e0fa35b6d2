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
 * Whether a piece of code leaves something open: what the {@link ResourceCounters} counts, before and after it, and
 * what a {@link HandleWatch} knows of that.
 *
 * <p>The ledger counts for the whole process: nothing else may make or release arrays meanwhile. Checks may be inside
 * each other; two that run beside each other are refused. Begun and ended by one who tests, on any thread.
 */
public final class LeakCheck {
  /**
   * How long what other threads are just releasing has to be gone, if nothing else is said. Only what fails takes so
   * long.
   */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  static final String PROPERTY = "org.arbalest.leaks";

  private static final ResourceCounters NOTHING = new ResourceCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(1);

  /** Those that were begun and not ended; each is around the next. Guarded by itself. */
  private static final List<LeakCheck> UNDER_WAY = new ArrayList<>();

  /** After a failure that left something: when nothing has changed for so long, nothing is under way. */
  private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * Waits that nobody will end, left by a test that failed: those after it do not wait for them again. Guarded by
   * UNDER_WAY.
   */
  private static long lostWaits;

  /**
   * What was held when that last changed, since a check was given up with something left; null if none was. Guarded by
   * UNDER_WAY.
   */
  private static @Nullable ResourceCounters unquiet;

  /** When that was. Guarded by UNDER_WAY. */
  private static long changed;

  private final String name;
  private final @Nullable LeakCheck around;
  private final @Nullable HandleWatch watch;
  private final ResourceCounters before;

  // Guarded by UNDER_WAY.
  /** What was left inside this, and is known to somebody. */
  private ResourceCounters known = NOTHING;

  private final Set<Throwable> knownPlaces = new HashSet<>();

  private LeakCheck(String name, @Nullable LeakCheck around, boolean withPlaces, ResourceCounters before) {
    this.name = name;
    this.around = around;
    this.before = before;
    this.watch = withPlaces || Boolean.getBoolean(PROPERTY) ? HandleWatch.start() : null;
  }

  /**
   * Begins, as {@link #begin(String, LeakCheck, boolean)} does: around this there is no other, and where things are
   * made is noted.
   */
  public static LeakCheck begin(String name) {
    return begin(name, null, true);
  }

  /** Begins, as {@link #begin(String, LeakCheck, boolean, Duration)} does, with {@link #PATIENCE}. */
  public static LeakCheck begin(String name, @Nullable LeakCheck around, boolean withPlaces) {
    return begin(name, around, withPlaces, PATIENCE);
  }

  /**
   * Begins, once nothing is under way any more that what came before has left to be released by itself; it blocks until
   * then. After a check that was given up with something left, that is when nothing has changed for a quarter of a
   * second, so that a late release is not taken for a change of this check. To be ended by {@link #end} or
   * {@link #giveUp}.
   *
   * @param name of what is checked, as in "not back after …"
   * @param around the check that this one is inside of; null if there is none
   * @param withPlaces whether to note where each thing is made, which takes microseconds for each, and garbage;
   *     {@code -Dorg.arbalest.leaks=true} does so whatever this says. Without it there are only the numbers: what is
   *     left is not seen where as much was released that had been there before
   * @param patience how long to wait for that; what is under way then is taken to be lost, and no later check waits for
   *     it
   * @throws IllegalStateException if another check is under way that is not around this one: nobody could tell whose a
   *     leak is
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
   * Begins, as {@link #begin(String, LeakCheck, boolean, Duration)} does, but does not block.
   *
   * @return null if something is under way that what came before has left to be released by itself
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
        // of which each ends by itself, however quiet it is, unless the whole patience is over
        if (!isLost) return null;
        lostWaits = now.waits();
      }
      unquiet = null;
      LeakCheck check = new LeakCheck(name, around, withPlaces, now);
      UNDER_WAY.add(check);
      return check;
    }
  }

  /** Whether what a check has left does not change any more. Guarded by UNDER_WAY. */
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
        + " is: what is open is counted for the whole process, so that tests which are checked cannot run at"
        + " the same time. @NoLeaks lets JUnit run them one after another, @Isolate Kotest; or switch parallel "
        + "execution off";
  }

  /** What is left at this moment; null if nothing is. It goes on. */
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
   * Ends. What is left is not told of again by the checks around this one.
   *
   * @param patience how long to wait for what other threads are just releasing, and for copies and events that are
   *     under way
   * @return what was left; null if nothing was
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

  /** Ends after something that failed, and so may have left what it held: nobody is told of that. */
  public void giveUp() {
    finish(true);
  }

  /** @param isEarly whether nobody has waited for what other threads are just releasing */
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

  /** Something was left inside this, or released that had been there before. */
  private void knows(ResourceCounters left, LeakCheck inside) {
    known = known.since(NOTHING.since(left));
    knownPlaces.addAll(inside.knownPlaces);
    if (inside.watch != null) inside.watch.open().forEach(handle -> knownPlaces.add(handle.made()));
    if (around != null) around.knows(left, inside);
  }
}
