// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.ipc.IpcReadOptions;

/** The content of a file, for its handle and its readers, which are counted: the last one closes it. Thread-safe. */
final class FileContent {
  final FileInput file;
  final Footer footer;
  final IpcReadOptions options;
  final InputName name;
  private int users = 1;

  private final Dictionaries dictionaries = new Dictionaries();
  private final Set<Long> loaded = new HashSet<>();

  /** Takes over one use of the input. */
  FileContent(FileInput file, Footer footer, IpcReadOptions options, InputName name) {
    this.file = file;
    this.footer = footer;
    this.options = options;
    this.name = name;
  }

  /**
   * Adds a user.
   *
   * @throws IllegalStateException if the content was closed
   */
  synchronized void retainOpen() {
    if (users == 0) throw new IllegalStateException("the Arrow file was closed");
    users++;
  }

  void release() {
    synchronized (this) {
      if (--users > 0) return;
    }
    dictionaries.close();
    file.release();
  }

  /** Returns the memory of joined batches. */
  MemoryManager memory() {
    MemoryManager chosen = options.memory();
    return chosen == null ? Devices.cpu().memory() : chosen;
  }

  /** Reads a batch. The caller closes it, and uses the content meanwhile. */
  RecordBatch batch(int index, Projection projection, BatchDecoder decoder) throws IOException {
    try {
      if (!projection.dictionaries().isEmpty()) load(projection);
      footer.batch(index, file, decoder.message);
      return decoder.batch(decoder.message, projection, dictionaries).asRecordBatch();
    } catch (DeviceException e) {
      throw name.named(e);
    } catch (InternalError e) {
      throw name.named(e);
    } catch (IOException e) {
      throw name.named(e);
    }
  }

  /** Reads all dictionaries that a projection needs, as of the end of the file, unless they were read before. */
  private synchronized void load(Projection projection) throws IOException {
    if (loaded.containsAll(projection.dictionaries())) return;
    Set<Long> missing = new HashSet<>(projection.dictionaries());
    missing.removeAll(loaded);
    try {
      BatchDecoder decoder = new BatchDecoder(options);
      Set<Long> defined = new HashSet<>();
      for (int i = 0; i < footer.dictionaryCount(); i++) {
        footer.dictionary(i, file, decoder.message);
        DictionaryBatch dictionary = decoder.message.dictionaryBatch();
        if (!dictionary.isDelta() && !defined.add(dictionary.id())) throw decoder.message.malformed(
            "dictionary " + dictionary.id() + " is replaced, which only a stream may do");
        decoder.dictionary(decoder.message, footer.schema, missing, dictionaries);
      }
      decoder.join(missing, footer.schema, dictionaries);
    } catch (Throwable t) {
      dictionaries.remove(missing);
      throw t;
    }
    loaded.addAll(missing);
  }
}
