// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;

/** Conversion of exceptions that user code throws. */
public final class Failures {
  private Failures() {}

  /**
   * Rethrows unchecked exceptions unchanged. Any other exception becomes the cause of one that names the failed action.
   */
  public static <T> T unchecked(Callable<T> action, String what) {
    try {
      return action.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(what + ": " + e.getMessage(), e);
    } catch (Exception e) {
      if (e instanceof InterruptedException) Thread.currentThread().interrupt();
      throw new IllegalStateException(what + ": " + e, e);
    }
  }
}
