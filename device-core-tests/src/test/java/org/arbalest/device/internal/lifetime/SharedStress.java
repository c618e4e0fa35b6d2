// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** References that threads take and release at once. */
public class SharedStress {
  private static final class Thing extends Shared {
    private int freed;
    private int used = 7;

    @Override
    protected void free() {
      freed++;
      used = 0;
    }
  }

  /** One thread releases while another tries to retain: a retained object is alive, and it is freed once. */
  @JCStressTest
  @Outcome(id = {"0, 1", "7, 1"}, expect = ACCEPTABLE, desc = "retained too late, or in time")
  @Outcome(expect = FORBIDDEN, desc = "freed while referenced, or not exactly once")
  @State
  public static class RetainWhileLeft {
    private final Thing thing = new Thing();

    @Actor
    public void leave() {
      thing.release();
    }

    @Actor
    public void enter(II_Result r) {
      if (!thing.tryRetain()) return;
      r.r1 = thing.used == 7 ? 7 : -1;
      thing.release();
    }

    @Arbiter
    public void look(II_Result r) {
      r.r2 = thing.freed;
    }
  }

  /** The last of two releases frees the object, and sees the writes of the other thread. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "freed once")
  @Outcome(expect = FORBIDDEN, desc = "freed twice, or never")
  @State
  public static class BothLeave {
    private final Thing thing = new Thing();

    public BothLeave() {
      thing.retain();
    }

    @Actor
    public void one() {
      thing.release();
    }

    @Actor
    public void other() {
      thing.release();
    }

    @Arbiter
    public void look(I_Result r) {
      r.r1 = thing.freed;
    }
  }
}
