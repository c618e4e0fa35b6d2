// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

/**
 * A known behaviour of a peer that differs from the specification or adds to it. The library adapts to it. By default
 * the library relies on the specification, except where tolerance costs nothing.
 */
public enum AsyncQuirk {
  /**
   * The producer's {@code extract_data} must not be called with NULL, because it dereferences the pointer (arrow-go).
   * An unwanted array is extracted and released instead (ASY-16).
   */
  NO_NULL_EXTRACT,

  /**
   * The producer may free its struct before {@code release}, once all its tasks are extracted (Arrow C++). Therefore a
   * cancellation goes to the producer only inside a callback, or while a task waits here that the subscriber has not
   * received (ASY-29). A producer that still has to send a task, but is silent, receives the cancellation at its next
   * callback. The subscriber receives it at once.
   *
   * <p>The library recognizes Arrow C++ by itself if Arrow C++ is a separate shared library and the system can map a
   * function to its library, which Windows cannot. Set this quirk if Arrow C++ is linked into another library with
   * hidden symbols.
   */
  PRODUCER_ENDS_EARLY,

  /**
   * The producer's struct stays valid until {@code release}, as the specification requires, even if the producer looks
   * like Arrow C++. A cancellation goes to the producer at once.
   */
  PRODUCER_STAYS,

  /**
   * The consumer does not extract the queued tasks after the stream has failed (Arrow C++) or after it has cancelled
   * (arrow-go). The library closes these tasks after {@code release}; they cannot be extracted any more.
   */
  DROPS_TASKS,

  /**
   * {@code ArrowAsyncProducer} has the {@code release} member of the specification's code block.
   * {@code additional_metadata} is then at byte 32 and {@code private_data} at byte 40. In the {@code abi.h} of Arrow
   * C++ and arrow-go they are at bytes 24 and 32. The difference matters only for a stream with metadata.
   */
  PRODUCER_HAS_RELEASE
}
