// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A queue of tasks to which one thread adds while other threads poll. */
public class ShortQueueStress {
  /** One thread polls: it receives all elements, in order. */
  @JCStressTest
  @Outcome(id = "1234", expect = ACCEPTABLE, desc = "each, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
  @State
  public static class OnePolls {
    private final ShortQueue<Integer> queue = new ShortQueue<>();
    private int seen;

    @Actor
    public void add() {
      for (int i = 1; i <= 4; i++) queue.add(i);
    }

    @Actor
    public void poll() {
      for (int i = 1; i <= 4; i++) take();
    }

    private boolean take() {
      Integer element = queue.poll();
      if (element == null) return false;
      seen = 10 * seen + element;
      return true;
    }

    @Arbiter
    public void look(I_Result r) {
      while (!queue.isEmpty()) take();
      r.r1 = take() ? -1 : seen;
    }
  }

  /** Two threads poll: each finds an element, because one is always available, and each element arrives once. */
  @JCStressTest
  @Outcome(id = "1, 1, 111", expect = ACCEPTABLE, desc = "each finds one, and each is found once")
  @Outcome(expect = FORBIDDEN, desc = "lost, received twice, or not found although available")
  @State
  public static class TwoPoll {
    private final ShortQueue<Integer> queue = new ShortQueue<>();
    private int one;
    private int other;

    public TwoPoll() {
      queue.add(1);
      queue.add(10);
    }

    @Actor
    public void one() {
      queue.add(100);
      one = take();
    }

    @Actor
    public void other() {
      other = take();
    }

    private int take() {
      Integer element = queue.poll();
      return element == null ? 0 : element;
    }

    @Arbiter
    public void look(III_Result r) {
      r.r1 = one == 0 ? 0 : 1;
      r.r2 = other == 0 ? 0 : 1;
      r.r3 = one + other + take();
    }
  }

  /**
   * Two threads poll a queue of one element, and one of them adds another first: each finds an element, although none
   * waited behind the first.
   */
  @JCStressTest
  @Outcome(id = "1, 1, 11", expect = ACCEPTABLE, desc = "each finds one, and each is found once")
  @Outcome(expect = FORBIDDEN, desc = "lost, received twice, or not found although available")
  @State
  public static class NoneBehind {
    private final ShortQueue<Integer> queue = new ShortQueue<>();
    private int one;
    private int other;

    public NoneBehind() {
      queue.add(1);
    }

    @Actor
    public void one() {
      queue.add(10);
      one = take();
    }

    @Actor
    public void other() {
      other = take();
    }

    private int take() {
      Integer element = queue.poll();
      return element == null ? 0 : element;
    }

    @Arbiter
    public void look(III_Result r) {
      r.r1 = one == 0 ? 0 : 1;
      r.r2 = other == 0 ? 0 : 1;
      r.r3 = one + other;
    }
  }
}
