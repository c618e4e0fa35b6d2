// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.ipc.ArrowFile;
import org.arbalest.device.ipc.DictionaryMetadata;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.IpcReadOptions;
import org.arbalest.device.ipc.internal.memory.MappedFault;
import org.arbalest.device.spi.OpenFile;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** An open file. */
public final class ArrowFileImpl implements ArrowFile {
  private final FileContent content;
  private final Projection projection;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /** The last decoder that a thread has returned; another thread at the same time makes its own. */
  private final AtomicReference<@Nullable BatchDecoder> idle = new AtomicReference<>();

  private final OpenFile counted;

  private ArrowFileImpl(FileContent content, Projection projection) {
    this.content = content;
    this.projection = projection;
    counted = OpenFile.of(this, content.name.of("ArrowFile"));
  }

  /** Opens a file at a path; see {@link ArrowFile#open(Path, IpcReadOptions)}. */
  public static ArrowFile open(Path path, IpcReadOptions options) throws IOException {
    Objects.requireNonNull(options, "options");
    if (InputName.isPipe(path)) throw new IOException("cannot open " + path + " as an Arrow file: it is a pipe or a"
        + " device, and a file is read at any position; copy it to a file, or send and open an Arrow stream");
    InputName name = new InputName(path);
    if (options.memory() == null) {
      MappedInput map = new MappedInput(SharedMemory.map(path));
      try {
        return open(map, options, name);
      } catch (Throwable t) {
        map.release();
        throw t;
      }
    }
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      return open(new ChannelInput(channel), options, name);
    } catch (Throwable t) {
      channel.close();
      throw t;
    }
  }

  /** Opens a file by its channel; see {@link ArrowFile#open(SeekableByteChannel, IpcReadOptions)}. */
  public static ArrowFile open(SeekableByteChannel channel, IpcReadOptions options) throws IOException {
    Objects.requireNonNull(channel, "channel");
    Objects.requireNonNull(options, "options");
    return open(new ChannelInput(channel), options, InputName.NONE);
  }

  /** Opens a file in memory; see {@link ArrowFile#open(MemorySegment, Runnable, IpcReadOptions)}. */
  public static ArrowFile open(MemorySegment bytes, Runnable onFree, IpcReadOptions options) throws IOException {
    Objects.requireNonNull(options, "options");
    SharedMemory memory = SharedMemory.of(bytes, onFree, options.memory());
    try {
      return open(new MappedInput(memory), options, InputName.NONE);
    } catch (Throwable t) {
      memory.abandon();
      throw t;
    }
  }

  /** Takes over one use of the input, unless this call throws. */
  private static ArrowFile open(FileInput file, IpcReadOptions options, InputName name) throws IOException {
    try {
      Footer footer = Footer.read(file, Framing.mostMetadata(options.maxAllocation()));
      Projection projection = Projection.of(footer.schema, options.columns());
      MappedFault.settle();
      return new ArrowFileImpl(new FileContent(file, footer, options, name), projection);
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
    return projection.schema;
  }

  @Override
  public Metadata metadata() {
    return content.footer.metadata;
  }

  @Override
  public int batchCount() {
    return content.footer.batchCount();
  }

  @Override
  public long rowCount() throws IOException {
    long rows = 0;
    Message message = new Message();
    for (int i = 0; i < batchCount(); i++) {
      long more = read(i, message, this::rows);
      if (more > Long.MAX_VALUE - rows) {
        throw message.malformed("batch " + i + " has " + more + " rows behind " + rows + " other rows, too many");
      }
      rows += more;
    }
    return rows;
  }

  @Override
  public long rowCount(int batch) throws IOException {
    return read(batch, new Message(), this::rows);
  }

  private long rows(Message message) {
    return message.rows(content.footer.schema);
  }

  @Override
  public Metadata metadata(int batch) throws IOException {
    return read(batch, new Message(), Message::metadata);
  }

  @Override
  public Metadata schemaMessageMetadata() throws IOException {
    return reading(() -> {
      Message message = new Message();
      boolean isThere = content.footer.schema(content.file, mostMetadata(), message);
      return isThere ? message.metadata() : Metadata.empty();
    });
  }

  @Override
  public List<DictionaryMetadata> dictionaryMessageMetadata() throws IOException {
    return reading(() -> {
      CollectedMetadata all = new CollectedMetadata(mostMetadata());
      Message message = new Message();
      for (int i = 0; i < content.footer.dictionaryCount(); i++) {
        content.footer.dictionary(i, content.file, message);
        all.add(message);
      }
      return all.toList();
    });
  }

  private int mostMetadata() {
    return Framing.mostMetadata(content.options.maxAllocation());
  }

  @Override
  public IpcCompression compression(int batch) throws IOException {
    return read(batch, new Message(), message -> message.compression(message.recordBatch()));
  }

  /** Reads the message of a batch, and returns a value from it. */
  private <T> T read(int batch, Message message, Function<Message, T> value) throws IOException {
    requireBatch(batch);
    return reading(() -> {
      content.footer.batch(batch, content.file, message);
      return value.apply(message);
    });
  }

  private void requireBatch(int index) {
    if (index >= 0 && index < batchCount()) return;
    throw new IndexOutOfBoundsException("there is no batch " + index + " in the " + content.name.of("Arrow file") + ": "
        + (batchCount() == 0 ? "it has none" : "it has " + batchCount() + ", counted from 0"));
  }

  /** Something that is read from the file. */
  private interface Reading<T> {
    T read() throws IOException;
  }

  /** Reads from the file, which stays meanwhile: a message is in the map. */
  private <T> T reading(Reading<T> action) throws IOException {
    retainOpen();
    try {
      T value = action.read();
      MappedFault.settle();
      return value;
    } catch (DeviceException e) {
      throw content.name.named(e);
    } catch (InternalError e) {
      throw content.name.named(e);
    } catch (IOException e) {
      throw content.name.named(e);
    } finally {
      content.release();
    }
  }

  @Override
  public RecordBatch batch(int index) throws IOException {
    requireBatch(index);
    retainOpen();
    RecordBatch array;
    try {
      BatchDecoder taken = idle.getAndSet(null);
      BatchDecoder decoder = taken == null ? new BatchDecoder(content.options) : taken;
      array = content.batch(index, projection, decoder);
      idle.set(decoder);
    } catch (Throwable t) {
      content.release();
      throw t;
    }
    try {
      content.release(); // may close the channel, if another thread closed the file meanwhile
    } catch (Throwable t) {
      array.close();
      throw t;
    }
    return array;
  }

  @Override
  public RecordBatch readAll() throws IOException {
    int[] next = {0};
    return AllBatches.read(schema(), () -> next[0] == batchCount() ? null : batch(next[0]++), content.memory(),
        content.name);
  }

  /** Adds a use of the content, unless this file was closed: a reader may keep the content open. */
  private void retainOpen() {
    if (isClosed.get()) throw new IllegalStateException("the Arrow file was closed");
    content.retainOpen();
  }

  @Override
  public RecordBatchReader reader() {
    retainOpen();
    try {
      FileSource source = new FileSource(content, projection);
      return RecordBatchReader.of(projection.schema, source.deviceType(), source);
    } catch (Throwable t) {
      content.release();
      throw t;
    }
  }

  @Override
  public void close() {
    if (!isClosed.compareAndSet(false, true)) return;
    idle.set(null); // this file may stay reachable
    counted.close(this);
    content.release();
  }
}
