// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.ipc.ArrowWriter;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.IpcWriteOptions;
import org.arbalest.device.ipc.internal.compress.Codec;
import org.arbalest.device.ipc.internal.memory.MappedFault;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.spi.OpenFile;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A writer of files and streams. */
public final class ArrowWriterImpl implements ArrowWriter {
  private enum State {
    OPEN, FAILED, FINISHED, CLOSED
  }

  private final Output output;
  private final @Nullable Destination destination;
  private final boolean isFile;
  private final IpcSchema schema;
  private final IpcWriteOptions options;
  private final MessageWriter messages;
  private final EncodedBatch encoded = new EncodedBatch();
  private final DictionaryWriter dictionaries;
  private final BatchEncoder encoder;
  private @Nullable OpenFile counted;
  private State state = State.OPEN;
  private long batches;

  /** Whether the last call failed, so that a close without {@link #finish} is no mistake. */
  private boolean hasFailedCall;

  private ArrowWriterImpl(Output output, @Nullable Destination destination, boolean isFile, Schema schema,
      IpcWriteOptions options) {
    this.output = output;
    this.destination = destination;
    this.isFile = isFile;
    this.schema = IpcSchema.numbered(schema);
    this.options = options;
    for (long id : options.dictionaryMetadata().keySet()) {
      if (this.schema.dictionary(id) == null) throw new IllegalArgumentException("there is metadata of dictionary " + id
          + " (withDictionaryMetadata), but the schema has no such dictionary; they are counted from 0");
    }
    if (options.compression() != IpcCompression.NONE) { // fails early if a dependency is missing
      Codec.of(options.compression(), options.compressionLevel());
    }
    messages = new MessageWriter(output, options.alignment(), isFile);
    dictionaries = new DictionaryWriter(!isFile, options.hasDictionaryDeltas(), this::writeDictionary);
    encoder = new BatchEncoder(encoded, dictionaries::indices);
  }

  /** Creates a file at a path; see {@link ArrowWriter#file(Path, Schema, IpcWriteOptions)}. */
  public static ArrowWriter file(Path path, Schema schema, IpcWriteOptions options) throws IOException {
    return at(path, true, schema, options);
  }

  /** Creates a file in a channel; see {@link ArrowWriter#file(WritableByteChannel, Schema, IpcWriteOptions)}. */
  public static ArrowWriter file(WritableByteChannel channel, Schema schema, IpcWriteOptions options)
      throws IOException {
    return start(new Output(Objects.requireNonNull(channel, "channel"), null, true), null, true, schema, options);
  }

  /** Creates a file in a stream of bytes; see {@link ArrowWriter#file(OutputStream, Schema, IpcWriteOptions)}. */
  public static ArrowWriter file(OutputStream output, Schema schema, IpcWriteOptions options) throws IOException {
    return file(OutputStreamChannel.of(Objects.requireNonNull(output, "output")), schema, options);
  }

  /** Creates a stream at a path; see {@link ArrowWriter#stream(Path, Schema, IpcWriteOptions)}. */
  public static ArrowWriter stream(Path path, Schema schema, IpcWriteOptions options) throws IOException {
    return at(path, false, schema, options);
  }

  /** Creates a stream in a channel; see {@link ArrowWriter#stream(WritableByteChannel, Schema, IpcWriteOptions)}. */
  public static ArrowWriter stream(WritableByteChannel channel, Schema schema, IpcWriteOptions options)
      throws IOException {
    return start(new Output(Objects.requireNonNull(channel, "channel"), null, true), null, false, schema, options);
  }

  /** Creates a stream in a stream of bytes; see {@link ArrowWriter#stream(OutputStream, Schema, IpcWriteOptions)}. */
  public static ArrowWriter stream(OutputStream output, Schema schema, IpcWriteOptions options) throws IOException {
    return stream(OutputStreamChannel.of(Objects.requireNonNull(output, "output")), schema, options);
  }

  /** Writes all batches of a reader to a file or stream at a path, and closes the reader. */
  public static void writeAll(Path path, boolean isFile, RecordBatchReader reader, IpcWriteOptions options)
      throws IOException {
    try (reader) {
      finish(at(path, isFile, reader.schema(), options), reader);
    }
  }

  /** Writes all batches of a reader to a channel, which stays open, and closes the reader. */
  public static void writeAll(WritableByteChannel channel, boolean isFile, RecordBatchReader reader,
      IpcWriteOptions options) throws IOException {
    try (reader) {
      Output output = new Output(Objects.requireNonNull(channel, "channel"), null, false);
      finish(start(output, null, isFile, reader.schema(), options), reader);
    }
  }

  /** Writes all batches of a reader to a stream of bytes, which stays open, and closes the reader. */
  public static void writeAll(OutputStream output, boolean isFile, RecordBatchReader reader, IpcWriteOptions options)
      throws IOException {
    try (reader) {
      writeAll(OutputStreamChannel.of(Objects.requireNonNull(output, "output")), isFile, reader, options);
    }
  }

  private static void finish(ArrowWriterImpl writer, RecordBatchReader reader) throws IOException {
    try (writer) {
      writer.writeAll(reader);
      writer.finish();
    }
  }

  private static ArrowWriterImpl at(Path path, boolean isFile, Schema schema, IpcWriteOptions options)
      throws IOException {
    Destination destination = Destination.of(path);
    Output output = new Output(destination.open(), path, true);
    try {
      return start(output, destination, isFile, schema, options);
    } catch (Throwable t) {
      try (output) {
        destination.abandon();
      }
      throw t;
    }
  }

  private static ArrowWriterImpl start(Output output, @Nullable Destination destination, boolean isFile, Schema schema,
      IpcWriteOptions options) throws IOException {
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(options, "options");
    if (options.isSynced() && !output.isFile()) throw new IllegalArgumentException("only a file can wait until the disk"
        + " has its bytes (withSync): write to a path, a FileChannel or a FileOutputStream");
    ArrowWriterImpl writer = new ArrowWriterImpl(output, destination, isFile, schema, options);
    writer.messages.start(writer.schema);
    writer.counted = OpenFile.of(writer, destination == null ? "ArrowWriter" : "ArrowWriter of " + destination);
    return writer;
  }

  @Override
  public void write(RecordBatch batch) throws IOException {
    write(batch, Metadata.empty());
  }

  @Override
  public void write(RecordBatch batch, Metadata metadata) throws IOException {
    Objects.requireNonNull(batch, "batch");
    Objects.requireNonNull(metadata, "metadata");
    requireOpen();
    hasFailedCall = true; // unless the end is reached
    SameLayout layout = SameLayout.of(schema.schema.asField(), batch.field());
    layout.require();
    state = State.FAILED; // unless the end is reached
    try {
      writeParts(batch, layout, metadata);
      MappedFault.settle(); // the batch may be of a mapped file
    } catch (DeviceException e) {
      throw output.named(e);
    } catch (InternalError e) {
      throw output.named(MappedFault.of(e));
    }
    batches++;
    state = State.OPEN;
    hasFailedCall = false;
  }

  private void writeParts(RecordBatch batch, SameLayout layout, Metadata metadata) throws IOException {
    try (RecordBatch readable = readable(batch, layout)) {
      long rows = readable.length();
      long most = options.maxBatchRows();
      if (rows <= most) writePart(readable, metadata);
      else for (long from = 0; from < rows; from += most) {
        try (RecordBatch part = readable.slice(from, Math.min(most, rows - from))) {
          writePart(part, metadata);
        }
      }
    }
  }

  /** Returns a batch that the CPU can read now, without null rows of its own, in the writer's schema. */
  private RecordBatch readable(RecordBatch batch, SameLayout layout) {
    if (!batch.device().isCpuAccessible()) {
      try (RecordBatch copy = batch.copyTo(Devices.cpu())) {
        return readable(copy, layout);
      }
    }
    batch.synchronize();
    RecordBatch pushed = batch.pushDownNulls();
    if (!layout.mustConvert()) return pushed;
    try (pushed) {
      return pushed.convertTo(schema.schema.asField());
    }
  }

  private void writePart(RecordBatch part, Metadata metadata) throws IOException {
    if (schema.hasDictionaries()) dictionaries.write(schema, part);
    try (encoded) {
      encoder.encode(schema, part);
      compress();
      messages.batch(part.length(), encoded, options.compression(), metadata);
    }
  }

  private void compress() {
    if (options.compression() == IpcCompression.NONE) return;
    BufferCompression.compress(encoded, options.compression(), options.compressionLevel());
  }

  private void writeDictionary(IpcField field, DeviceArray values, boolean isDelta) throws IOException {
    IpcField layout = Objects.requireNonNull(field.values);
    try (encoded) {
      encoder.encode(layout, values);
      compress();
      Metadata metadata = options.dictionaryMetadata().getOrDefault(field.dictionaryId, Metadata.empty());
      messages.dictionary(field.dictionaryId, isDelta, values.length(), encoded, options.compression(), metadata);
    }
  }

  @Override
  public void writeAll(RecordBatchReader reader) throws IOException {
    Objects.requireNonNull(reader, "reader");
    while (true) {
      hasFailedCall = true; // unless the reader returns
      try (RecordBatch batch = reader.next()) {
        hasFailedCall = false;
        if (batch == null) return;
        write(batch);
      }
    }
  }

  private void requireOpen() {
    switch (state) {
      case OPEN -> {}
      case FAILED -> throw new IllegalStateException("the Arrow writer failed before; close it");
      case FINISHED -> throw new IllegalStateException("the Arrow writer is finished");
      case CLOSED -> throw new IllegalStateException("the Arrow writer is closed");
    }
  }

  @Override
  public long bytesWritten() {
    return output.position();
  }

  @Override
  public void finish() throws IOException {
    if (state == State.FINISHED) return;
    requireOpen();
    state = State.FAILED; // unless the end is reached
    messages.end();
    if (isFile) messages.footer(schema, options.metadata());
    output.finish(options.isSynced());
    if (destination != null) {
      output.close();
      destination.complete(options.isSynced());
    }
    state = State.FINISHED;
  }

  @Override
  public void abandon() throws IOException {
    hasFailedCall = true;
    close();
  }

  @Override
  public void close() throws IOException {
    if (state == State.CLOSED) return;
    boolean isForgotten = state == State.OPEN && batches > 0 && !hasFailedCall;
    state = State.CLOSED;
    if (counted != null) counted.close(this);
    dictionaries.close();
    try (output) {
      if (destination != null) destination.abandon();
    }
    if (isForgotten) System.getLogger("org.arbalest.device.ipc").log(Level.WARNING, forgotten());
  }

  /** Returns the loss if the writer is closed without {@link #finish}. */
  private String forgotten() {
    String count = batches == 1 ? "1 batch" : batches + " batches";
    String what = destination != null ? "no file was made at " + destination + ", which loses " + count
        : isFile ? "the file has no footer, which loses " + count : "the stream of " + count + " has no end mark";
    return "an ArrowWriter was closed without finish(): " + what + "; call finish() before close(), or abandon()"
        + " instead";
  }
}
