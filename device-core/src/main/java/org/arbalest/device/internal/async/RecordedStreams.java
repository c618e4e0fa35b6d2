// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.recording.Recording;

/** Tells a recording, whenever it asks, of the async streams that there are: those whose structs C has. */
final class RecordedStreams {
  static {
    Recording.ofStreams(RecordedStreams::describe);
  }

  private RecordedStreams() {}

  /** From the first stream on a recording may ask. */
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
