// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.recording.Recording;

/** Reports the existing async streams to a recording. These are the streams whose structs native code holds. */
final class RecordedStreams {
  static {
    Recording.ofStreams(RecordedStreams::describe);
  }

  private RecordedStreams() {}

  /** Registers this class. From the first stream on, a recording may query the streams. */
  static void begin() {}

  private static void describe(Recording.OfStreams streams) {
    Slots.forEach(
        owner -> {
          switch (owner) {
            case AsyncHandler handler -> handler.describe(streams);
            case AsyncExport export -> export.describe(streams);
            default -> {}
          }
        });
  }
}
