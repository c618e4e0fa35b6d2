package org.arbalest.device;

/**
 * What a peer is known to do, which the consumer or producer here then allows for. By default the specification is taken at its word, but for
 * what costs nothing to tolerate.
 */
public enum AsyncQuirk {
  /**
   * The producer's {@code extract_data} must not be called with NULL (arrow-go reads through it): what nobody wants is extracted and released
   * (ASY-16).
   */
  NO_NULL_EXTRACT,

  /**
   * The producer's struct may be gone before {@code release}, once all its tasks are extracted (Arrow C++): a cancellation is told only while a
   * task is held, inside a callback, or when the producer is owed nothing and so waits. A producer from which nothing comes is cancelled no
   * earlier than with its next callback.
   */
  PRODUCER_ENDS_EARLY,

  /**
   * The consumer does not extract the tasks in its queue once the stream has failed (Arrow C++) or it has cancelled (arrow-go): they are
   * closed after {@code release}, and could not be extracted any more.
   */
  DROPS_TASKS,

  /**
   * {@code ArrowAsyncProducer} has the {@code release} member of the specification's code block, so that {@code additional_metadata} is at 32
   * and {@code private_data} at 40, not at 24 and 32 as in the {@code abi.h} of Arrow C++ and arrow-go. Matters only where the stream has
   * metadata.
   */
  PRODUCER_HAS_RELEASE
}
