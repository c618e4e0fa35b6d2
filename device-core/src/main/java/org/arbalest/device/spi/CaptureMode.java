// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.LongToIntFunction;

/**
 * The capture mode of a backend's threads, while other threads capture graphs. During a capture in global mode, CUDA
 * and HIP refuse "potentially unsafe" calls on all threads: allocations, queries, waits and frees. Such a call also
 * invalidates the capture. A thread in relaxed mode is exempt from both.
 *
 * <p>The library's calls depend on no captured work. The library therefore relaxes the thread around its calls. It then
 * restores the mode, because the thread belongs to the application (DEV-23).
 *
 * <p>All methods act on the calling thread, and may be called on any thread.
 */
public final class CaptureMode {
  private static final int RELAXED = 2;

  private final LongToIntFunction exchange;
  private final IntFunction<Answer> answers;
  private final IntConsumer report;
  @SuppressWarnings("ThreadLocalUsage") // one instance for each backend
  private final ThreadLocal<State> current = ThreadLocal.withInitial(State::new);

  private static final class State {
    final MemorySegment mode = Arena.ofAuto().allocate(JAVA_INT);
    boolean isRelaxed;
    boolean isOurs;
  }

  /**
   * Creates the modes of all threads.
   *
   * @param exchange the runtime's exchange function. It receives the address of a mode, sets the calling thread to that
   *     mode, and writes the previous mode to the address. It returns the runtime's code, which is 0 on success
   * @param answers maps a code to its meaning
   * @param report receives the code of a failed restore
   */
  public CaptureMode(LongToIntFunction exchange, IntFunction<Answer> answers, IntConsumer report) {
    this.exchange = exchange;
    this.answers = answers;
    this.report = report;
  }

  /**
   * Creates this thread's state for the other methods. Call it before a context or a device is made current: a virtual
   * thread may block here, and continue on another OS thread.
   */
  public void prepare() {
    current.get();
  }

  /**
   * Relaxes this thread until {@link #restore}. Only calls of the runtime may be made in between. The mode stays
   * unchanged if the runtime cannot relax the thread.
   */
  public void relax() {
    State thread = current.get();
    if (!thread.isOurs && !thread.isRelaxed) thread.isRelaxed = exchange(thread, RELAXED) == 0;
  }

  /** Restores the mode that the thread had before {@link #relax}; does nothing if that did not relax the thread. */
  public void restore() {
    State thread = current.get();
    if (!thread.isRelaxed) return;
    thread.isRelaxed = false;
    int before = thread.mode.get(JAVA_INT, 0);
    int code = exchange(thread, before);
    // the thread belongs to the application: a second attempt before the failure is reported
    if (answers.apply(code) == Answer.UNKNOWN) code = exchange(thread, before);
    if (code != 0 && answers.apply(code) != Answer.GONE) report.accept(code);
  }

  /**
   * Relaxes one of the library's own threads permanently. The exchange can fail: call this method again before each
   * round of calls. It does nothing after it has succeeded.
   */
  public void relaxForGood() {
    State thread = current.get();
    if (!thread.isOurs) thread.isOurs = exchange(thread, RELAXED) == 0;
  }

  /** Sets this thread's mode. The runtime then leaves the previous mode in {@code thread.mode}. */
  private int exchange(State thread, int next) {
    thread.mode.set(JAVA_INT, 0, next);
    return exchange.applyAsInt(thread.mode.address());
  }
}
