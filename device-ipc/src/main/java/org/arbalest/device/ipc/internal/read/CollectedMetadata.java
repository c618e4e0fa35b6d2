// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.arbalest.device.ipc.DictionaryMetadata;
import org.arbalest.device.types.Metadata;

/** The custom metadata of the messages that have any. Together, they are limited as one message is. */
final class CollectedMetadata {
  private final int most;
  private final List<DictionaryMetadata> all = new ArrayList<>(0);
  private long bytes;

  /**
   * Creates an empty collection.
   *
   * @param most the most bytes of the messages' headers; see {@link Framing#mostMetadata}
   */
  CollectedMetadata(int most) {
    this.most = most;
  }

  void add(Message message) {
    Metadata metadata = message.metadata();
    if (metadata.isEmpty()) return;
    bytes += message.size();
    if (bytes > most) throw message.malformed("the messages with dictionaries that have custom metadata have " + bytes
        + " bytes of metadata altogether, but at most " + most + " may be allocated");
    DictionaryBatch dictionary = message.dictionaryBatch();
    all.add(new DictionaryMetadata(dictionary.id(), dictionary.isDelta(), metadata));
  }

  List<DictionaryMetadata> toList() {
    return all.isEmpty() ? List.of() : List.copyOf(all);
  }

  void clear() {
    if (all.isEmpty()) return;
    all.clear();
    bytes = 0;
  }
}
