// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A piece of pinned memory that parts of copies go through; lives as long as the process. */
final class StagingSlot {
  static final long JOB_SIZE = 32;

  final long address;

  /** Recorded behind the last that uses it. */
  final long event;

  /** Where the host function finds what it is to do. */
  final long job;

  private final MemorySegment words;

  /** Guarded by its {@link StagingSlots}: whether somebody is just using it, where it is queued, and since when. */
  boolean taken;

  boolean queued;
  long queue;
  long since;

  StagingSlot(long address, long event) {
    this.address = address;
    this.event = event;
    this.words = Arena.global().allocate(JOB_SIZE, 8);
    this.job = words.address();
  }

  /** Says what the host function is to do. */
  void job(long to, long from, long bytes, boolean writesPageable) {
    words.set(JAVA_LONG, 0, to);
    words.set(JAVA_LONG, 8, from);
    words.set(JAVA_LONG, 16, bytes);
    words.set(JAVA_INT, 24, writesPageable ? 1 : 0);
  }
}
