// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.arbalest.device.DeviceType;
import org.arbalest.device.Devices;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A handle whose reference one thread borrows and takes back, while another thread closes or shares it. */
public class HandleStress {
  private static final Field FIELD = Field.of("n", DataType.INT64);

  /** The memory of an array. It counts its frees, and can be used until the first. */
  private static final class Memory extends Ownership {
    private int freed;
    private int used = 7;

    Memory() {
      super(false);
    }

    @Override
    public long syncEvent() {
      return 0;
    }

    @Override
    public boolean mayHaveToWait() {
      return false;
    }

    @Override
    public @Nullable EventPoint event() {
      return null;
    }

    @Override
    public boolean isCpuAccessible() {
      return true;
    }

    @Override
    void freeArray() {
      freed++;
      used = 0;
    }
  }

  private static final class Borrowable extends Handle {
    Borrowable(Memory memory) {
      super(Devices.device(DeviceType.CPU, 0), FIELD, 0, 0, 1);
      open(memory);
    }

    @Override
    public String title() {
      return "n";
    }
  }

  /** A close during a borrow takes effect: the memory is freed once, and never while the borrower has it. */
  @JCStressTest
  @Outcome(id = "7, 1", expect = ACCEPTABLE, desc = "borrowed and taken back, before, during or after the close")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "closed before the borrow")
  @Outcome(expect = FORBIDDEN, desc = "freed while borrowed, twice or never")
  @State
  public static class TakeBackWhileClosed {
    private final Memory memory = new Memory();
    private final Borrowable handle = new Borrowable(memory);

    @Actor
    public void borrow(II_Result r) {
      Ownership borrowed;
      try {
        borrowed = handle.borrow();
      } catch (IllegalStateException _) {
        return;
      }
      r.r1 = memory.used == 7 ? 7 : -1;
      handle.takeBack(borrowed);
    }

    @Actor
    public void close() {
      handle.close();
    }

    @Arbiter
    public void look(II_Result r) {
      r.r2 = memory.freed;
    }
  }

  /** A borrower that keeps the reference has it, whether the handle is closed meanwhile or not. */
  @JCStressTest
  @Outcome(id = "7, 1", expect = ACCEPTABLE, desc = "kept, and released by the borrower")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "closed before the borrow")
  @Outcome(expect = FORBIDDEN, desc = "freed while kept, twice or never")
  @State
  public static class KeepWhileClosed {
    private final Memory memory = new Memory();
    private final Borrowable handle = new Borrowable(memory);

    @Actor
    public void borrow(II_Result r) {
      Ownership borrowed;
      try {
        borrowed = handle.borrow();
      } catch (IllegalStateException _) {
        return;
      }
      handle.keep();
      r.r1 = memory.used == 7 ? 7 : -1;
      borrowed.release();
    }

    @Actor
    public void close() {
      handle.close();
    }

    @Arbiter
    public void look(II_Result r) {
      r.r2 = memory.freed;
    }
  }

  /** A share during a borrow has live memory or throws, and the handle is open at the end. */
  @JCStressTest
  @Outcome(id = {"7, 1", "0, 1"}, expect = ACCEPTABLE, desc = "shared, or refused during the borrow")
  @Outcome(expect = FORBIDDEN, desc = "shared freed memory, or the handle lost its reference")
  @State
  public static class ShareWhileBorrowed {
    private final Memory memory = new Memory();
    private final Borrowable handle = new Borrowable(memory);

    @Actor
    public void borrow() {
      handle.takeBack(handle.borrow());
    }

    @Actor
    public void share(II_Result r) {
      Ownership shared;
      try {
        shared = handle.share();
      } catch (IllegalStateException _) {
        return;
      }
      r.r1 = memory.used == 7 ? 7 : -1;
      shared.release();
    }

    @Arbiter
    public void look(II_Result r) {
      boolean isOpen = handle.isOpen() && memory.freed == 0;
      handle.close();
      r.r2 = isOpen ? memory.freed : -1;
    }
  }

  /** Of two threads that borrow at once, at most one has the reference at a time. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "freed once, by the close at the end")
  @Outcome(expect = FORBIDDEN, desc = "freed early, twice or never")
  @State
  public static class BorrowBoth {
    private final Memory memory = new Memory();
    private final Borrowable handle = new Borrowable(memory);

    private void borrow() {
      try {
        handle.takeBack(handle.borrow());
      } catch (IllegalStateException _) {
        // the other thread has the reference
      }
    }

    @Actor
    public void one() {
      borrow();
    }

    @Actor
    public void other() {
      borrow();
    }

    @Arbiter
    public void look(I_Result r) {
      int early = memory.freed;
      handle.close();
      r.r1 = early + memory.freed;
    }
  }
}
