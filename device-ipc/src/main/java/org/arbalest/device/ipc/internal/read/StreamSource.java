// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.ipc.DictionaryMetadata;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/** The batches of a stream, in order. */
final class StreamSource implements DeviceArrayReader.Source<RecordBatch> {
  final InputName name;
  private final StreamInput input;
  private final BatchDecoder decoder;
  private final Dictionaries dictionaries = new Dictionaries();
  private Projection projection;
  private Metadata metadata = Metadata.empty();
  private final CollectedMetadata collected;
  private List<DictionaryMetadata> dictionaryMetadata = List.of();
  private IpcCompression compression = IpcCompression.NONE;
  private boolean isAtEnd;
  private boolean hasFailed;

  /** Takes over the input. */
  StreamSource(StreamInput input, Projection projection, BatchDecoder decoder, int mostMetadata, InputName name) {
    this.name = name;
    this.input = input;
    this.projection = projection;
    this.decoder = decoder;
    collected = new CollectedMetadata(mostMetadata);
  }

  Projection projection() {
    return projection;
  }

  MemoryManager memory() {
    return decoder.memory();
  }

  DeviceType deviceType() {
    return memory().device().type();
  }

  Metadata metadata() {
    return metadata;
  }

  List<DictionaryMetadata> dictionaryMessageMetadata() {
    return dictionaryMetadata;
  }

  IpcCompression compression() {
    return compression;
  }

  @Override
  public @Nullable RecordBatch next() throws IOException {
    // after an error the position in the input may be anywhere in a message
    if (hasFailed) throw new IllegalStateException("the Arrow stream failed before; close it");
    hasFailed = true; // unless the end is reached
    try {
      RecordBatch batch = read();
      hasFailed = false;
      return batch;
    } catch (DeviceException e) {
      throw name.named(e);
    } catch (InternalError e) {
      throw name.named(e);
    } catch (IOException e) {
      throw name.named(e);
    }
  }

  private @Nullable RecordBatch read() throws IOException {
    Message message = decoder.message;
    collected.clear();
    while (!isAtEnd && input.next(message)) {
      if (message.isSchema()) throw message.malformed("there is a second schema in the stream");
      if (message.isDictionary()) {
        collected.add(message);
        decoder.dictionary(message, projection.source, projection.dictionaries(), dictionaries);
        continue;
      }
      Metadata itsMetadata = message.metadata();
      IpcCompression itsCompression = message.compression(message.recordBatch());
      RecordBatch batch = decoder.batch(message, projection, dictionaries).asRecordBatch();
      metadata = itsMetadata;
      dictionaryMetadata = collected.toList();
      compression = itsCompression;
      return batch;
    }
    isAtEnd = true;
    return null;
  }

  @Override
  public boolean select(int... columns) {
    projection = projection.select(columns);
    return true;
  }

  /** Closes the input: a blocked read then ends, where the input supports that. */
  @Override
  public void cancel() {
    try {
      input.cancel();
    } catch (IOException _) {
      // the close that follows reports it
    }
  }

  @Override
  public void close() {
    dictionaries.close();
    try {
      input.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the input of an Arrow stream", e);
    }
  }
}
