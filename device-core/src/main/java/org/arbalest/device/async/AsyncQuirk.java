// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

/**
 * What a peer is known to do, which the consumer or producer here then allows for. By default the specification is
 * taken at its word, but for what costs nothing to tolerate.
 */
public enum AsyncQuirk {
  /**
   * The producer's {@code extract_data} must not be called with NULL (arrow-go reads through it): what nobody wants is
   * extracted and released (ASY-16).
   */
  NO_NULL_EXTRACT,

  /**
   * The producer's struct may be gone before {@code release}, once all its tasks are extracted (Arrow C++): a
   * cancellation is told only inside a callback, or while a task waits here that nobody has taken (ASY-29). A producer
   * that owes a task, and from which nothing comes, hears of it with its next callback. The subscriber is told at once
   * all the same.
   *
   * <p>Need not be said of Arrow C++ in a shared library of its own, which is recognised where the system can tell in
   * which library a function is (not on Windows). It has to be said where Arrow C++ was linked into something else with
   * its symbols hidden.
   */
  PRODUCER_ENDS_EARLY,

  /**
   * The producer's struct is there until {@code release}, as the specification has it, also if it looks like Arrow
   * C++'s: a cancellation is told at once.
   */
  PRODUCER_STAYS,

  /**
   * The consumer does not extract the tasks in its queue once the stream has failed (Arrow C++) or it has cancelled
   * (arrow-go): they are closed after {@code release}, and could not be extracted any more.
   */
  DROPS_TASKS,

  /**
   * {@code ArrowAsyncProducer} has the {@code release} member of the specification's code block, so that
   * {@code additional_metadata} is at 32 and {@code private_data} at 40, not at 24 and 32 as in the {@code abi.h} of
   * Arrow C++ and arrow-go. Matters only where the stream has metadata.
   */
  PRODUCER_HAS_RELEASE
}
