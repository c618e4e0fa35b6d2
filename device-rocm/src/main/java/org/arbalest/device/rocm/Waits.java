// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.Completion;
import org.arbalest.device.spi.EventPoller;

/**
 * Who waits for a GPU's events, threads as well: they are asked for, by a thread of ours, so that no stream of ours
 * ever waits for anybody else's work (DEV-25).
 *
 * <p>Never by {@code hipEventSynchronize}: as long as a thread is in that, HIP lets others wait as well who ask for the
 * event or queue a wait for it, and frees it under that thread if somebody destroys it. Somebody else may be in it, so
 * a question may take long: then another thread goes on with the other events.
 */
final class Waits implements EventPoller.Asker {
  /**
   * How long a thread waits for an event that cannot be told of, until that is an error: its own capture may be in the
   * way, for good.
   */
  static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Gpu gpu;
  private final EventPoller poller;

  Waits(Gpu gpu) {
    this.gpu = gpu;
    this.poller = new EventPoller("arbalest-rocm-events-" + gpu.ordinal, this, true);
  }

  /**
   * Lets somebody be told once an event is over. Makes no call of HIP's, neither waits nor fails: so it may be called
   * anywhere, in a host function, too.
   */
  void add(long event, Completion completion) {
    poller.add(event, completion);
  }

  /** HIP's code for an event. */
  int query(long event) {
    HipCapture.relax();
    int code = queryTwice(event);
    HipCapture.restore();
    return code;
  }

  /** Blocks until an event is over; throws if it failed, or if that cannot be told. */
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

  /** Whether it is worth while to ask again: somebody captures a graph, or there is still something to wait for. */
  private static boolean isHeldUp(int code) {
    return code == Hip.NOT_READY || HipAnswers.of(code) == Answer.CANNOT_TELL;
  }

  /**
   * A code that is not known is asked for again: those that are for good come back. What is expected is not left for
   * {@code hipGetLastError}.
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
