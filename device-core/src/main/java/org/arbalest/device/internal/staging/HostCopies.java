// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.CopyBatch;
import org.jspecify.annotations.Nullable;

/**
 * Copies within main memory that several threads do together. One core cannot fill one of a GPU's buses, but several
 * cores can.
 *
 * <p>The threads are daemon threads, a few for the whole process. They are started for the first large copy. A copy
 * takes no lock, because the caller may be a driver's thread (DEV-62).
 */
final class HostCopies {
  /** The bytes that a thread copies at once. A smaller copy is not worth waking another thread. */
  private static final long PART = 512 << 10;

  private static final int MOST_HELPERS = Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 0, 3);
  private static final LinkedTransferQueue<Job> JOBS = new LinkedTransferQueue<>();
  private static volatile boolean started;

  private HostCopies() {}

  /**
   * Starts the threads if a copy of this many bytes needs them. The caller calls this before a driver's thread copies.
   */
  static void prepare(long total) {
    if (helpers(total) > 0 && !started) startHelpers();
  }

  /**
   * Copies all pieces. Returns when the copy is complete, including the parts of the helper threads, even if a part
   * fails. Copies without helpers if {@link #prepare} was not called, or if there is too little memory for a job.
   */
  static void copy(CopyBatch pieces, long total) {
    int helpers = started ? helpers(total) : 0;
    Job job = helpers == 0 ? null : Job.of(pieces);
    if (job == null) {
      for (int i = 0; i < pieces.count(); i++) NativeHeap.copy(pieces.from(i), pieces.to(i), pieces.bytes(i));
      return;
    }
    try {
      for (int i = 0; i < helpers; i++) JOBS.add(job);
    } catch (OutOfMemoryError _) {
      // fewer threads help
    }
    job.work();
    job.await();
  }

  private static int helpers(long total) {
    return Math.clamp(total / PART - 1, 0, MOST_HELPERS);
  }

  private static synchronized void startHelpers() {
    for (int i = 0; i < MOST_HELPERS && !started; i++) {
      try {
        Thread.ofPlatform().name("arbalest-copies-" + i).daemon().start(HostCopies::help);
      } catch (OutOfMemoryError e) {
        Faults.report("starting a thread that copies", e);
        started = i > 0;
        return;
      }
    }
    started = true;
  }

  private static void help() {
    while (true) {
      try {
        JOBS.take().work();
      } catch (Throwable t) {
        Faults.report("copying within main memory", t);
      }
    }
  }

  /**
   * The pieces of one copy, in parts that threads take one by one. A thread that comes after all parts are taken does
   * not read the pieces, because they may be freed already.
   */
  private static final class Job {
    private final CopyBatch pieces;

    /** The number of parts before each piece, and then the number of all parts. */
    private final int[] parts;

    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger left;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread caller = Thread.currentThread();

    /** Returns null if there is too little memory for a job. */
    static @Nullable Job of(CopyBatch pieces) {
      try {
        return new Job(pieces);
      } catch (OutOfMemoryError _) {
        return null;
      }
    }

    private Job(CopyBatch pieces) {
      this.pieces = pieces;
      this.parts = new int[pieces.count() + 1];
      for (int i = 0; i < pieces.count(); i++)
        parts[i + 1] = parts[i] + Math.toIntExact(Math.ceilDiv(pieces.bytes(i), PART));
      this.left = new AtomicInteger(parts[pieces.count()]);
    }

    void work() {
      int piece = 0;
      for (int part; (part = taken.getAndIncrement()) < parts[parts.length - 1];) {
        while (part >= parts[piece + 1]) piece++;
        long done = (part - parts[piece]) * PART;
        try {
          NativeHeap.copy(pieces.from(piece) + done, pieces.to(piece) + done,
              Math.min(PART, pieces.bytes(piece) - done));
        } catch (Throwable t) {
          failure.compareAndSet(null, t);
        } finally {
          if (left.decrementAndGet() == 0) LockSupport.unpark(caller);
        }
      }
    }

    /**
     * Blocks until the parts that other threads have taken are copied. All parts must be taken. Throws the failure of
     * any part.
     */
    void await() {
      boolean interrupted = false;
      while (left.get() > 0) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted(); // other threads still write to the target
      }
      if (interrupted) Thread.currentThread().interrupt();
      switch (failure.get()) {
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case null, default -> {} // copying throws no checked exception
      }
    }
  }
}
