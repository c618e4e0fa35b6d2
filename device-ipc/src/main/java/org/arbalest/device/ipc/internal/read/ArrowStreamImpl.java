// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.ipc.ArrowStream;
import org.arbalest.device.ipc.DictionaryMetadata;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.IpcReadOptions;
import org.arbalest.device.ipc.internal.memory.Blocking;
import org.arbalest.device.ipc.internal.memory.MappedFault;
import org.arbalest.device.spi.OpenFile;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** An open stream. */
public final class ArrowStreamImpl implements ArrowStream {
  private enum State {
    IDLE,
    /** A thread reads. Another thread that closes the stream leaves the source to it. */
    READING, PASSED_ON, CLOSED
  }

  private final StreamSource source;
  private final Metadata schemaMessageMetadata;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

  private final OpenFile counted;

  private ArrowStreamImpl(StreamSource source, Metadata schemaMessageMetadata, InputName name) {
    this.source = source;
    this.schemaMessageMetadata = schemaMessageMetadata;
    counted = OpenFile.of(this, name.of("ArrowStream"));
  }

  /** Opens a stream of bytes; see {@link ArrowStream#open(InputStream, IpcReadOptions)}. */
  public static ArrowStream open(InputStream input, IpcReadOptions options) throws IOException {
    Objects.requireNonNull(input, "input");
    return open(InputStreamChannel.of(input), options);
  }

  /** Opens a stream in a file; see {@link ArrowStream#open(Path, IpcReadOptions)}. */
  public static ArrowStream open(Path path, IpcReadOptions options) throws IOException {
    Objects.requireNonNull(options, "options");
    InputName name = new InputName(path);
    if (options.memory() == null && !InputName.isPipe(path)) {
      SharedMemory map = SharedMemory.map(path);
      try {
        return open(new MemoryStreamInput(map, options), options, name);
      } catch (Throwable t) {
        map.release();
        throw t;
      }
    }
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      return open(new ChannelStreamInput(channel, options), options, name);
    } catch (Throwable t) {
      channel.close();
      throw t;
    }
  }

  /** Opens a channel; see {@link ArrowStream#open(ReadableByteChannel, IpcReadOptions)}. */
  public static ArrowStream open(ReadableByteChannel channel, IpcReadOptions options) throws IOException {
    Objects.requireNonNull(options, "options");
    Blocking.require(Objects.requireNonNull(channel, "channel"));
    return open(new ChannelStreamInput(channel, options), options, InputName.NONE);
  }

  /** Opens a stream in memory; see {@link ArrowStream#open(MemorySegment, Runnable, IpcReadOptions)}. */
  public static ArrowStream open(MemorySegment bytes, Runnable onFree, IpcReadOptions options) throws IOException {
    Objects.requireNonNull(options, "options");
    SharedMemory memory = SharedMemory.of(bytes, onFree, options.memory());
    try {
      return open(new MemoryStreamInput(memory, options), options, InputName.NONE);
    } catch (Throwable t) {
      memory.abandon();
      throw t;
    }
  }

  private static ArrowStream open(StreamInput input, IpcReadOptions options, InputName name) throws IOException {
    BatchDecoder decoder = new BatchDecoder(options);
    try {
      if (!input.next(decoder.message)) throw new IpcException(0, "the stream ends before its schema");
      Projection projection = Projection.of(decoder.message.schema(), options.columns());
      MappedFault.settle();
      int mostMetadata = Framing.mostMetadata(options.maxAllocation());
      var source = new StreamSource(input, projection, decoder, mostMetadata, name);
      return new ArrowStreamImpl(source, decoder.message.metadata(), name);
    } catch (DeviceException e) {
      throw name.named(e);
    } catch (InternalError e) {
      throw name.named(e);
    } catch (IOException e) {
      throw name.named(e);
    } catch (IllegalArgumentException e) {
      throw name.named(e);
    }
  }

  @Override
  public Schema schema() {
    return source.projection().schema;
  }

  @Override
  public @Nullable RecordBatch next() throws IOException {
    begin();
    RecordBatch batch;
    try {
      batch = source.next();
    } catch (Throwable t) {
      end(t);
      throw t;
    }
    end(batch);
    return batch;
  }

  @Override
  public RecordBatch readAll() throws IOException {
    return AllBatches.read(schema(), this::next, source.memory(), source.name);
  }

  private void begin() {
    switch (state.compareAndExchange(State.IDLE, State.READING)) {
      case IDLE -> {}
      case READING -> throw new IllegalStateException("another thread reads the Arrow stream");
      case PASSED_ON, CLOSED ->
          throw new IllegalStateException("the Arrow stream was closed, or passed to a reader");
    }
  }

  /** Ends the reading of a batch. Closes the batch if the input cannot be closed. */
  private void end(@Nullable RecordBatch batch) {
    if (state.compareAndSet(State.READING, State.IDLE)) return;
    try {
      source.close();
    } catch (Throwable t) {
      if (batch != null) batch.close();
      throw t;
    }
  }

  private void end(Throwable failure) {
    try {
      end((RecordBatch) null);
    } catch (Throwable t) {
      failure.addSuppressed(t);
    }
  }

  @Override
  public Metadata metadata() {
    return source.metadata();
  }

  @Override
  public Metadata schemaMessageMetadata() {
    return schemaMessageMetadata;
  }

  @Override
  public List<DictionaryMetadata> dictionaryMessageMetadata() {
    return source.dictionaryMessageMetadata();
  }

  @Override
  public IpcCompression compression() {
    return source.compression();
  }

  @Override
  public RecordBatchReader reader() {
    begin();
    RecordBatchReader reader;
    try {
      reader = RecordBatchReader.of(schema(), source.deviceType(), source);
    } catch (Throwable t) {
      end(t);
      throw t;
    }
    if (state.compareAndSet(State.READING, State.PASSED_ON)) {
      counted.close(this); // the reader is counted
      return reader;
    }
    reader.close(); // and the source, which the thread that closed this stream left open
    throw new IllegalStateException("the Arrow stream was closed");
  }

  @Override
  public void close() {
    State before = state.getAndUpdate(now -> now == State.PASSED_ON ? now : State.CLOSED);
    if (before == State.IDLE || before == State.READING) counted.close(this);
    switch (before) {
      case IDLE -> source.close();
      case READING -> source.cancel(); // it is closed by the thread that reads
      case PASSED_ON, CLOSED -> {}
    }
  }
}
