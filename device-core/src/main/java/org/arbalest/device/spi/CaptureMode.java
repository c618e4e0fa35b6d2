// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.LongToIntFunction;

/**
 * How a backend's threads stand to graphs that other threads capture. While one captures in global mode, CUDA and HIP
 * refuse what is "potentially unsafe" (allocations, queries, waits, frees) to all threads, and invalidate the capture,
 * unless the thread that calls is relaxed. What we call depends on no captured work, so we are relaxed around it; and
 * the mode is restored, since it is the user's thread (DEV-23).
 */
public final class CaptureMode {
  private static final int RELAXED = 2;

  private final LongToIntFunction exchange;
  private final IntFunction<Answer> answers;
  private final IntConsumer report;
  @SuppressWarnings("ThreadLocalUsage") // there is one of these for each backend
  private final ThreadLocal<State> current = ThreadLocal.withInitial(State::new);

  private static final class State {
    final MemorySegment mode = Arena.ofAuto().allocate(JAVA_INT);
    boolean isRelaxed;
    boolean isOurs;
  }

  /**
   * The modes of all threads.
   *
   * @param exchange the runtime's: gets the address of a mode, which becomes this thread's, and leaves the one before
   *     there; returns a code, 0 if it did
   * @param answers what the codes say
   * @param report is told what restoring a mode failed with
   */
  public CaptureMode(LongToIntFunction exchange, IntFunction<Answer> answers, IntConsumer report) {
    this.exchange = exchange;
    this.answers = answers;
    this.report = report;
  }

  /**
   * Makes what this thread needs for the rest. To be called before a context or a device is current: a virtual thread
   * may have to wait for it, and then go on on another OS thread.
   */
  public void prepare() {
    current.get();
  }

  /**
   * Relaxes this thread until {@link #restore}, without anything but calls of the runtime in between; as it is, if the
   * runtime cannot do that.
   */
  public void relax() {
    State thread = current.get();
    if (!thread.isOurs && !thread.isRelaxed) thread.isRelaxed = exchange(thread, RELAXED) == 0;
  }

  /** Restores what was before {@link #relax}, if that was called. */
  public void restore() {
    State thread = current.get();
    if (!thread.isRelaxed) return;
    thread.isRelaxed = false;
    int before = thread.mode.get(JAVA_INT, 0);
    int code = exchange(thread, before);
    // it is the user's thread: not given up at once
    if (answers.apply(code) == Answer.UNKNOWN) code = exchange(thread, before);
    if (code != 0 && answers.apply(code) != Answer.GONE) report.accept(code);
  }

  /**
   * Relaxes a thread of ours for good, which may fail: to be called again before each round of calls, and does nothing
   * once it has.
   */
  public void relaxForGood() {
    State thread = current.get();
    if (!thread.isOurs) thread.isOurs = exchange(thread, RELAXED) == 0;
  }

  /** The mode before is then where this one was. */
  private int exchange(State thread, int next) {
    thread.mode.set(JAVA_INT, 0, next);
    return exchange.applyAsInt(thread.mode.address());
  }
}
