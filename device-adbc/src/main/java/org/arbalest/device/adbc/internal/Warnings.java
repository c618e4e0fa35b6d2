// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.arbalest.device.adbc.AdbcWarning;
import org.arbalest.device.spi.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The warnings of one handler. Drivers call one function for all handlers, with the handler's number as {@code
 * user_data}. A driver may call it from any thread, and it must not call the driver: the handler runs on another
 * thread.
 */
final class Warnings {
  private static final int MOST_WAITING = 1024;

  private static final Map<Long, Warnings> HANDLERS = new ConcurrentHashMap<>();
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final long number = NUMBERS.incrementAndGet();
  private final Consumer<? super AdbcWarning> handler;
  private final BlockingQueue<AdbcWarning> waiting = new ArrayBlockingQueue<>(MOST_WAITING);

  /** Whether a thread passes warnings to the handler. */
  private final AtomicBoolean isRunning = new AtomicBoolean();

  private final AtomicBoolean hasDropped = new AtomicBoolean();

  private Warnings(Consumer<? super AdbcWarning> handler) {
    this.handler = handler;
  }

  /** The function that drivers call; it is never freed. */
  private static final class Upcall {
    static final MemorySegment STUB = stub();
  }

  /**
   * Returns the function. It is not a stub of the JDK: a driver's thread may warn when the JVM has ended. The lookup
   * must be that of this class, which has the method.
   */
  private static MemorySegment stub() {
    return MemorySegment.ofAddress(
        Callback.stub(MethodHandles.lookup(), "warned", FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG)));
  }

  /** Registers a handler; {@link #remove} ends it. */
  static Warnings add(Consumer<? super AdbcWarning> handler) {
    var added = new Warnings(handler);
    HANDLERS.put(added.number, added);
    return added;
  }

  /** Ends the registration. A later warning of the driver is only released. */
  void remove() {
    HANDLERS.remove(number);
  }

  static MemorySegment function() {
    return Upcall.STUB;
  }

  MemorySegment userData() {
    return MemorySegment.ofAddress(number);
  }

  @SuppressWarnings("unused") // the stub calls it
  private static void warned(MemorySegment warning, long userData) {
    try {
      AdbcWarning read = take(warning);
      Warnings to = HANDLERS.get(userData);
      if (to != null) to.receive(read);
    } catch (Throwable t) { // a throwable that leaves an upcall ends the JVM
      log("a warning of a driver was lost", t);
    }
  }

  /** Reads a warning and releases it, from a copy of its struct: the driver's own struct is constant. */
  private static AdbcWarning take(MemorySegment warning) {
    if (warning.equals(MemorySegment.NULL)) throw new IllegalArgumentException("the driver passed NULL");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = ErrorStruct.allocate(arena);
      copy.copyFrom(warning.reinterpret(ErrorStruct.LAYOUT.byteSize()));
      try {
        int code = ErrorStruct.vendorCode(copy);
        return new AdbcWarning(ErrorStruct.message(copy), ErrorStruct.sqlState(copy),
            code == 0 || code == ErrorStruct.PRIVATE_DATA ? OptionalInt.empty() : OptionalInt.of(code));
      } finally {
        StatementBinding.release(ErrorStruct.release(copy), copy);
      }
    }
  }

  private void receive(AdbcWarning warning) {
    if (!waiting.offer(warning)) {
      if (hasDropped.compareAndSet(false, true))
        log("warnings of a driver are dropped, because " + MOST_WAITING + " wait for their handler", null);
      return;
    }
    if (isRunning.compareAndSet(false, true)) Thread.ofVirtual().name("arbalest-adbc-warnings").start(this::passAll);
  }

  private void passAll() {
    do {
      try {
        for (AdbcWarning next = waiting.poll(); next != null; next = waiting.poll()) pass(next);
      } finally {
        isRunning.set(false);
      }
    } while (!waiting.isEmpty() && isRunning.compareAndSet(false, true));
  }

  private void pass(AdbcWarning warning) {
    try {
      handler.accept(warning);
    } catch (Throwable e) { // an error must not keep the warnings after this one
      log("the handler of a driver's warnings failed for: " + warning.message(), e);
    }
  }

  private static void log(String message, @Nullable Throwable t) {
    System.getLogger("org.arbalest.device.adbc").log(Level.WARNING, message, t);
  }
}
