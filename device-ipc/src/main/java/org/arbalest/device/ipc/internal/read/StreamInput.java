// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;

/** The messages of a stream, in order. One thread at a time reads. */
interface StreamInput {
  /**
   * Reads the header of the next message, and sets its body, which is valid until the next call.
   *
   * @return false at the end of the stream
   */
  boolean next(Message message) throws IOException;

  /** Ends a read in another thread, if the input supports that. The input is closed later. */
  void cancel() throws IOException;

  /** Closes the input. Called once. */
  void close() throws IOException;
}
