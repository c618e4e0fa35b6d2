// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.Completion;
import org.arbalest.device.spi.EventPoller;

/**
 * The waits for a GPU's events, also those of threads. A thread of this library queries the events. The library's
 * streams therefore never wait for the work of others (DEV-25).
 *
 * <p>No thread calls {@code hipEventSynchronize}. While a thread is in that call, HIP also blocks other threads that
 * query the event or queue a wait for it. If another thread destroys the event, HIP frees it during the call.
 *
 * <p>Other code may be in that call, so a query may take long. Another thread then continues with the other events.
 */
final class Waits implements EventPoller.Asker {
  /**
   * The time that a thread waits for an event whose state is unknown, in nanoseconds. After that the wait fails: the
   * thread's own capture may prevent the query permanently.
   */
  static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Gpu gpu;
  private final EventPoller poller;

  Waits(Gpu gpu) {
    this.gpu = gpu;
    this.poller = new EventPoller("arbalest-rocm-events-" + gpu.ordinal, this, true);
  }

  /**
   * Calls a completion once an event is done or has failed. The method makes no call of HIP, does not wait and does not
   * fail. It may be called anywhere, also in a host function.
   */
  void add(long event, Completion completion) {
    poller.add(event, completion);
  }

  /** Returns HIP's code for an event. */
  int query(long event) {
    HipCapture.relax();
    int code = queryTwice(event);
    HipCapture.restore();
    return code;
  }

  /** Blocks until an event is done. Throws if it failed, or if its state stays unknown. */
  void await(long event) {
    int code = query(event);
    while (isHeldUp(code)) {
      Answer answer = poller.await(event, HELD_NANOS);
      code = answer == Answer.CAPTURED ? Hip.CAPTURED_EVENT : query(event);
      if (answer == Answer.NOT_READY && HipAnswers.of(code) == Answer.CANNOT_TELL) break;
    }
    if (code == Hip.SUCCESS) return;
    throw gpu.error(Hip.EVENT_QUERY, code, "");
  }

  /** Returns whether another query is useful: a graph is being captured, or the event is not complete yet. */
  private static boolean isHeldUp(int code) {
    return code == Hip.NOT_READY || HipAnswers.of(code) == Answer.CANNOT_TELL;
  }

  /**
   * Queries an event; repeats the query after an unknown code, since a permanent failure returns again. An expected
   * code is cleared for {@code hipGetLastError}.
   */
  private static int queryTwice(long event) {
    int code = Hip.EVENT_QUERY.call(event);
    if (HipAnswers.of(code) == Answer.UNKNOWN) {
      HipErrors.forget();
      code = Hip.EVENT_QUERY.call(event);
    }
    if (HipAnswers.of(code).saysNothing()) HipErrors.forget();
    return code;
  }

  @Override
  public Answer enter() {
    HipCapture.relaxForGood();
    return Answer.DONE;
  }

  @Override
  public Answer ask(long event) {
    return HipAnswers.of(queryTwice(event));
  }

  @Override
  public void report(String what, Throwable failure) {
    HipErrors.report(what, failure);
  }
}
