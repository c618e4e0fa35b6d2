// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.System.Logger.Level;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.spi.Callback;

/**
 * Gives events back.
 *
 * <p>PoCL locks an event of a command that failed because another did once more after it let go of it, and ends the
 * process if nobody else holds it. So there every command has an event that we hold, which is given back when it has
 * succeeded, and one that failed never is: a few hundred bytes for each command of a queue that failed.
 */
final class ClEvents {
  private final OpenClDriver driver;

  /** Whether events must be held; the address of our callback then. */
  private final long releaseIfDone;

  ClEvents(OpenClDriver driver, boolean areHeld) {
    this.driver = driver;
    this.releaseIfDone = areHeld ? Stub.ADDRESS : 0;
  }

  /** Made when it is needed, once. */
  private static final class Stub {
    static final long ADDRESS =
        Callback.stub(MethodHandles.lookup(), "releaseIfDone",
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));

    private Stub() {}

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by its name; the signature is OpenCL's
    private static void releaseIfDone(long event, int status, long userData) {
      try {
        if (status == Cl.COMPLETE) Cl.releaseEvent(event);
      } catch (Throwable t) { // escaping an upcall ends the VM
        System.getLogger("org.arbalest.device.opencl").log(Level.ERROR, "releasing an event failed", t);
      }
    }
  }

  /** Where a command that nobody waits for is to put its event, or 0 if it needs none. */
  long place() {
    if (releaseIfDone == 0) return 0;
    MemorySegment scratch = Cl.scratch();
    return scratch.address() + Long.BYTES;
  }

  /** The command is queued: its event, if there is one, goes back by itself. */
  void placed(long place) {
    if (place != 0) releaseWhenDone(Cl.scratch().get(JAVA_LONG, Long.BYTES));
  }

  /** For commands of one in-order queue: closed when they are queued, as far as they are. */
  Batch batch(int count) {
    return new Batch(releaseIfDone == 0 ? 0 : BatchStub.allocate(count));
  }

  /**
   * The events of some commands, which go back together, by one callback, when the last of them has succeeded: so all
   * have. In native memory: how many there are, and then each; which is freed with them, and left where the queue
   * failed, as the events are.
   */
  final class Batch implements AutoCloseable {
    private final long block;
    private int placed;

    private Batch(long block) {
      this.block = block;
    }

    /** Where the next command is to put its event, or 0 if it needs none. */
    long place() {
      return block == 0 ? 0 : block + Long.BYTES * (1L + placed);
    }

    /** The command is queued. */
    void placed() {
      placed++;
    }

    @Override
    public void close() {
      if (block == 0) return;
      if (placed == 0) {
        BatchStub.free(block);
        return;
      }
      MemorySegment events = BatchStub.ALL.asSlice(block, Long.BYTES * (1L + placed));
      events.set(JAVA_LONG, 0, placed);
      long last = events.get(JAVA_LONG, (long) Long.BYTES * placed);
      driver.check(Cl.setEventCallback(last, Cl.COMPLETE, BatchStub.ADDRESS, block), "clSetEventCallback");
    }
  }

  /** Made when it is needed, once. */
  private static final class BatchStub {
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    static final long ADDRESS =
        Callback.stub(MethodHandles.lookup(), "releaseAll", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));

    private static final MethodHandle MALLOC = libc("malloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FREE = libc("free", FunctionDescriptor.ofVoid(JAVA_LONG));

    private BatchStub() {}

    private static MethodHandle libc(String name, FunctionDescriptor type) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }

    static long allocate(int count) {
      long bytes = Long.BYTES * (1L + count);
      long block;
      try {
        block = (long) MALLOC.invokeExact(bytes);
      } catch (Throwable t) {
        throw Cl.unexpected(t);
      }
      if (block == 0) throw new DeviceException(Errno.ENOMEM, "malloc failed, asked for " + bytes + " bytes");
      return block;
    }

    static void free(long block) {
      try {
        FREE.invokeExact(block);
      } catch (Throwable t) {
        throw Cl.unexpected(t);
      }
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by its name; the signature is OpenCL's
    private static void releaseAll(long event, int status, long block) {
      try {
        if (status != Cl.COMPLETE) return;
        long count = ALL.get(JAVA_LONG, block);
        for (long i = 1; i <= count; i++) Cl.releaseEvent(ALL.get(JAVA_LONG, block + Long.BYTES * i));
        free(block);
      } catch (Throwable t) { // escaping an upcall ends the VM
        System.getLogger("org.arbalest.device.opencl").log(Level.ERROR, "releasing events failed", t);
      }
    }
  }

  /** Gives an event back that nobody here uses any more. */
  void destroy(long event) {
    if (releaseIfDone == 0) {
      driver.check(Cl.releaseEvent(event), "clReleaseEvent");
      return;
    }
    int status = driver.status(event);
    if (status == Cl.COMPLETE) {
      driver.check(Cl.releaseEvent(event), "clReleaseEvent");
    } else if (status > Cl.COMPLETE) {
      releaseWhenDone(event);
    }
  }

  private void releaseWhenDone(long event) {
    driver.check(Cl.setEventCallback(event, Cl.COMPLETE, releaseIfDone, 0), "clSetEventCallback");
  }
}
