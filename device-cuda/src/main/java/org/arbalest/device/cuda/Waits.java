// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.Completion;
import org.arbalest.device.spi.EventPoller;

/**
 * The waits for a GPU's events. A thread of this library queries the events. The library's streams therefore never wait
 * for the work of others (DEV-25).
 */
final class Waits implements EventPoller.Asker {
  /**
   * The time that a thread waits for an event whose state is unknown, in nanoseconds. After that the wait fails: the
   * thread's own capture may prevent the query permanently.
   */
  private static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Gpu gpu;
  private final EventPoller poller;

  Waits(Gpu gpu) {
    this.gpu = gpu;
    this.poller = new EventPoller("arbalest-cuda-events-" + gpu.ordinal, this, false);
  }

  /**
   * Calls a completion once an event is done or has failed. The method makes no call of the driver, does not wait and
   * does not fail. It may be called anywhere, also in a host function and in the GPU's context.
   */
  void add(long event, Completion completion) {
    poller.add(event, completion);
  }

  /** Returns the driver's code for an event; {@link Cu#NOT_PERMITTED} if this thread must not query now. */
  int query(long event) {
    int code = gpu.push();
    if (code != Cu.SUCCESS) return code;
    code = queryTwice(event);
    gpu.leave();
    return code;
  }

  /** Blocks until an event is done. Throws if it failed, or if its state stays unknown. */
  void await(long event) {
    gpu.enter();
    int code = Cu.EVENT_SYNCHRONIZE.call(event);
    gpu.leave();
    while (isHeldUp(code)) {
      Answer answer = poller.await(event, HELD_NANOS);
      code = answer == Answer.CAPTURED ? Cu.CAPTURED_EVENT : query(event);
      if (answer == Answer.NOT_READY && CuAnswers.of(code) == Answer.CANNOT_TELL) break;
    }
    gpu.check(code, Cu.EVENT_SYNCHRONIZE);
  }

  /** Returns whether another query is useful: a graph is being captured, or the event is not complete yet. */
  private static boolean isHeldUp(int code) {
    return code == Cu.NOT_READY || (CuAnswers.of(code) == Answer.CANNOT_TELL && code != Cu.NOT_PERMITTED);
  }

  /**
   * Queries an event; repeats the query after an unknown code, since a permanent failure returns again. The context
   * must be current.
   */
  private static int queryTwice(long event) {
    int code = Cu.EVENT_QUERY.call(event);
    return CuAnswers.of(code) == Answer.UNKNOWN ? Cu.EVENT_QUERY.call(event) : code;
  }

  @Override
  public Answer enter() {
    CuCapture.relaxForGood();
    return CuAnswers.of(gpu.push());
  }

  @Override
  public void leave() {
    gpu.leave();
  }

  @Override
  public Answer ask(long event) {
    return CuAnswers.of(queryTwice(event));
  }

  @Override
  public void report(String what, Throwable failure) {
    CuErrors.report(what, failure);
  }
}
