// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.Completion;
import org.arbalest.device.spi.EventPoller;

/**
 * Who waits for a GPU's events: they are asked for, by a thread of ours, so that no stream of ours ever waits for
 * anybody else's work (DEV-25).
 */
final class Waits implements EventPoller.Asker {
  /**
   * How long a thread waits for an event that cannot be told of, until that is an error: its own capture may be in the
   * way, for good.
   */
  private static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Gpu gpu;
  private final EventPoller poller;

  Waits(Gpu gpu) {
    this.gpu = gpu;
    this.poller = new EventPoller("arbalest-cuda-events-" + gpu.ordinal, this, false);
  }

  /**
   * Lets somebody be told once an event is over. Makes no call of the driver's, neither waits nor fails: so it may be
   * called anywhere, in a host function and in the GPU's context, too.
   */
  void add(long event, Completion completion) {
    poller.add(event, completion);
  }

  /** The driver's code for an event; {@link Cu#NOT_PERMITTED} if this thread may not ask. */
  int query(long event) {
    int code = gpu.push();
    if (code != Cu.SUCCESS) return code;
    code = queryTwice(event);
    gpu.leave();
    return code;
  }

  /** Blocks until an event is over; throws if it failed, or if that cannot be told. */
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

  /** Whether it is worth while to ask again: somebody captures a graph, or there is still something to wait for. */
  private static boolean isHeldUp(int code) {
    return code == Cu.NOT_READY || (CuAnswers.of(code) == Answer.CANNOT_TELL && code != Cu.NOT_PERMITTED);
  }

  /** In the context. A code that is not known is asked for again: those that are for good come back. */
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
