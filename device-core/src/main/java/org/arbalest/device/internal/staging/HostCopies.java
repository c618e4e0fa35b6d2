// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.concurrent.LinkedBlockingQueue;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.CopyBatch;

/**
 * Copies within main memory, of more than one core alone moves fast: one of a GPU's buses takes what several fill. The threads are daemons, a few for
 * the process, started when there is something large.
 */
final class HostCopies {
  /** How much a thread takes at once; less than what pays for waking another. */
  private static final long PART = 512 << 10;

  private static final int MOST_HELPERS = Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 0, 3);
  private static final LinkedBlockingQueue<Job> JOBS = new LinkedBlockingQueue<>();
  private static boolean started;

  private HostCopies() {}

  /** Copies all pieces, and returns when that is done. */
  static void copy(CopyBatch pieces, long total) {
    int helpers = (int) Math.min(MOST_HELPERS, total / PART - 1);
    if (helpers <= 0 || !startHelpers()) {
      for (int i = 0; i < pieces.count(); i++) NativeHeap.copy(pieces.from(i), pieces.to(i), pieces.bytes(i));
      return;
    }
    Job job = new Job(pieces);
    for (int i = 0; i < helpers; i++) JOBS.add(job);
    job.work();
    job.await();
  }

  /** False if no thread could be started. */
  private static synchronized boolean startHelpers() {
    if (started) return true;
    for (int i = 0; i < MOST_HELPERS; i++) {
      try {
        Thread.ofPlatform().name("arbalest-copies-" + i).daemon().start(HostCopies::help);
        started = true;
      } catch (OutOfMemoryError e) {
        Faults.report("starting a thread that copies", e);
        break;
      }
    }
    return started;
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

  /** The pieces, as far as nobody has taken them. Whoever comes when all are taken does not look at them: they may be gone. */
  private static final class Job {
    private final CopyBatch pieces;
    private int piece;
    private long done;
    private int working;
    private boolean isTaken;

    Job(CopyBatch pieces) {
      this.pieces = pieces;
    }

    void work() {
      while (true) {
        long to;
        long from;
        long bytes;
        synchronized (this) {
          if (isTaken) return;
          bytes = Math.min(PART, pieces.bytes(piece) - done);
          to = pieces.to(piece) + done;
          from = pieces.from(piece) + done;
          done += bytes;
          if (done == pieces.bytes(piece)) {
            piece++;
            done = 0;
          }
          isTaken = piece == pieces.count();
          working++;
        }
        try {
          NativeHeap.copy(from, to, bytes);
        } finally {
          leave();
        }
      }
    }

    private synchronized void leave() {
      if (--working == 0 && isTaken) notifyAll();
    }

    synchronized void await() {
      boolean interrupted = false;
      while (working > 0) {
        try {
          wait();
        } catch (InterruptedException _) {
          interrupted = true; // others write there yet
        }
      }
      if (interrupted) Thread.currentThread().interrupt();
    }
  }
}
