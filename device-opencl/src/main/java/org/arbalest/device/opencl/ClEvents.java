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
 * The release of events.
 *
 * <p>A command can fail because another command failed. PoCL then locks the command's event once more after releasing
 * it. If no other reference to the event exists, that ends the process.
 *
 * <p>With PoCL, this library therefore keeps a reference to the event of every command. It releases the reference when
 * the command has succeeded, and never if the command failed. That costs a few hundred bytes for each command of a
 * failed queue.
 */
final class ClEvents {
  private final OpenClDriver driver;

  /** The address of the callback that releases an event; 0 if the library need not keep references to events. */
  private final long releaseIfDone;

  ClEvents(OpenClDriver driver, boolean areHeld) {
    this.driver = driver;
    this.releaseIfDone = areHeld ? Stub.ADDRESS : 0;
  }

  /** The callback, created once, on first use. */
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

  /**
   * Returns the place for the event of a command without a waiting thread or queue; 0 if the command needs no event.
   */
  long place() {
    if (releaseIfDone == 0) return 0;
    MemorySegment scratch = Cl.scratch();
    return scratch.address() + Long.BYTES;
  }

  /** Arranges the automatic release of the event, if any, of a command that is queued. */
  void placed(long place) {
    if (place != 0) releaseWhenDone(Cl.scratch().get(JAVA_LONG, Long.BYTES));
  }

  /**
   * Creates a batch for commands of one in-order queue. The caller closes it when the commands are queued, also if only
   * some of them are.
   */
  Batch batch(int count) {
    return new Batch(releaseIfDone == 0 ? 0 : BatchStub.allocate(count));
  }

  /**
   * The events of some commands. One callback releases them together when the last command has succeeded: then all
   * have.
   *
   * <p>Native memory contains their number, and then each event. It is freed with the events. If the queue failed, it
   * is not freed, as the events are not released.
   */
  final class Batch implements AutoCloseable {
    private final long block;
    private int placed;

    private Batch(long block) {
      this.block = block;
    }

    /** Returns the place for the next command's event; 0 if the command needs no event. */
    long place() {
      return block == 0 ? 0 : block + Long.BYTES * (1L + placed);
    }

    /** Counts a command that is queued. */
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

  /** The callback, created once, on first use. */
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

  /** Releases an event that this library no longer uses. */
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
