// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** Slots that two threads take, find and leave at once. */
public class SlotsStress {
  /** A handle finds its owner or nothing while its slot passes to another owner. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "its owner")
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "nothing")
  @Outcome(expect = FORBIDDEN, desc = "another owner")
  @State
  public static class FindWhileReused {
    private final Object first = new Object();
    private final Object second = new Object();
    private final long handle = Slots.take(first);
    private long next;

    @Actor
    public void reuse() {
      Slots.leave(handle);
      next = Slots.take(second);
    }

    @Actor
    public void find(I_Result r) {
      Object found = Slots.find(handle);
      r.r1 = found == first ? 0 : found == null ? 1 : 2;
    }

    @Arbiter
    public void leave() {
      Slots.leave(next);
    }
  }

  /** Two threads that take a slot receive two different slots. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "each finds its own")
  @Outcome(expect = FORBIDDEN, desc = "a slot has two owners")
  @State
  public static class TakeBoth {
    private final Object first = new Object();
    private final Object second = new Object();
    private long firstTag;
    private long secondTag;

    @Actor
    public void one() {
      firstTag = Slots.take(first);
    }

    @Actor
    public void other() {
      secondTag = Slots.take(second);
    }

    @Arbiter
    public void look(ZZ_Result r) {
      r.r1 = Slots.find(firstTag) == first;
      r.r2 = Slots.find(secondTag) == second;
      Slots.leave(firstTag);
      Slots.leave(secondTag);
    }
  }

  /** After a renewal the old handle stays stale, and the new handle finds the owner. */
  @JCStressTest
  @Outcome(id = {
      "true, true, true"}, expect = ACCEPTABLE, desc = "its owner or nothing; then nothing; the new handle finds it")
  @Outcome(expect = FORBIDDEN, desc = "a stale handle finds something, or a good one nothing")
  @State
  public static class FindWhileRenewed {
    private final Object owner = new Object();
    private final long handle = Slots.take(owner);
    private long renewed;

    @Actor
    public void renew() {
      renewed = Slots.renew(handle);
    }

    @Actor
    public void find(ZZZ_Result r) {
      Object found = Slots.find(handle);
      r.r1 = found == owner || found == null;
    }

    @Arbiter
    public void look(ZZZ_Result r) {
      r.r2 = Slots.find(handle) == null;
      r.r3 = Slots.find(renewed) == owner;
      Slots.leave(renewed);
    }
  }
}
