// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.arbalest.device.internal.memory.Slots;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** An export that one thread recycles, while another finds it by its old handle, releases it or counts it. */
public class RecycledExportStress {
  private static final class Recycled extends RecycledExport {
    /** The contents: 1 for the first use of this object, 2 for the next. */
    private volatile int use = 1;

    private int recycles;

    Recycled(Slots.Stack home) {
      super(home);
      takeSlot();
      holds(1);
    }

    long handle() {
      return handle;
    }

    /** Releases the structs of the handle's use, as the callback does. */
    boolean release(long held) {
      if (Slots.find(held) != this || !isLeftBy(1)) return false;
      recycles++;
      recycle();
      return true;
    }

    void reuse() {
      use = 2;
      holds(1);
    }
  }

  /** The old handle of an export finds the export of its own use, or nothing. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0", "1, 1"}, expect = ACCEPTABLE, desc = "found before the renewal, or nothing")
  @Outcome(expect = FORBIDDEN, desc = "the old handle finds the next use")
  @State
  public static class FindWhileRenewed {
    private final Slots.Stack home = new Slots.Stack();
    private final Recycled export = new Recycled(home);
    private final long old = export.handle();

    @Actor
    public void renew(II_Result r) {
      r.r1 = export.release(old) ? 1 : 0;
      if (RecycledExport.takeIdle(home) == export) export.reuse();
    }

    @Actor
    public void find(II_Result r) {
      int before = export.use;
      boolean isFound = Slots.find(old) == export;
      r.r2 = !isFound ? 0 : before == 1 ? 1 : 2;
    }

    @Arbiter
    public void leave() {
      if (Slots.find(old) == export) throw new AssertionError("the old handle is valid after the renewal");
      Slots.leave(export.handle());
    }
  }

  /** Two structs that two threads release recycle their export once. */
  @JCStressTest
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "recycled once, and the old handle finds nothing")
  @Outcome(expect = FORBIDDEN, desc = "recycled twice or never, or the old handle is valid")
  @State
  public static class ReleaseBoth {
    private final Slots.Stack home = new Slots.Stack();
    private final Recycled export = new Recycled(home);
    private final long old = export.handle();

    public ReleaseBoth() {
      export.holds(2);
    }

    @Actor
    public void one() {
      export.release(old);
    }

    @Actor
    public void other() {
      export.release(old);
    }

    @Arbiter
    public void look(III_Result r) {
      r.r1 = export.recycles;
      r.r2 = home.size();
      r.r3 = Slots.find(old) == null ? 0 : 1;
      Slots.leave(export.handle());
    }
  }
}
