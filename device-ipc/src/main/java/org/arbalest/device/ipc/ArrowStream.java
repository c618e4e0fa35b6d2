// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.List;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.ipc.internal.read.ArrowStreamImpl;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An Arrow stream (the IPC stream format): its batches, one after the other.
 *
 * <p>The body of each message is read into one allocation. No byte after the end mark of the stream is read.
 *
 * <p><b>A stream may end without a mark</b>, between two messages. A connection that the sender closed early then looks
 * like the end. {@link IpcReadOptions#withEndMarkRequired} makes that an error. An end within a message is always an
 * {@link IpcException}, and a reset connection an {@link IOException}.
 *
 * <p>The caller closes the stream. One thread at a time uses it. {@link #close} may be called by another thread: it
 * closes the input, which usually ends a blocked read.
 */
@CheckReturnValue
public sealed interface ArrowStream extends AutoCloseable permits ArrowStreamImpl {
  /**
   * Opens a stream of bytes, and reads its schema. The result owns the input; if this call throws, the caller still
   * owns it. A {@link java.io.BufferedInputStream} is not necessary.
   *
   * @throws IOException if the input cannot be read
   * @throws IpcException if the input is not an Arrow stream, or malformed
   * @throws IllegalArgumentException if the stream does not have one of the chosen columns
   */
  static ArrowStream open(InputStream input, IpcReadOptions options) throws IOException {
    return ArrowStreamImpl.open(input, options);
  }

  /**
   * Opens a stream in a file. The file is mapped as {@link ArrowFile} maps it, with the same conditions, unless
   * {@link IpcReadOptions#withMemory} is set. A pipe or a device at the path, such as {@code /dev/stdin}, is read by a
   * channel; opening a named pipe waits for its writer. Errors name the path.
   */
  static ArrowStream open(Path path, IpcReadOptions options) throws IOException {
    return ArrowStreamImpl.open(path, options);
  }

  /**
   * Opens a channel; see {@link #open(InputStream, IpcReadOptions)}.
   *
   * @throws IllegalArgumentException if the channel is in non-blocking mode
   */
  static ArrowStream open(ReadableByteChannel channel, IpcReadOptions options) throws IOException {
    return ArrowStreamImpl.open(channel, options);
  }

  /**
   * Opens a stream that is in memory. Arrays point into this memory. Errors: see
   * {@link #open(InputStream, IpcReadOptions)}.
   *
   * @param bytes the memory, which may end after the stream. A heap segment is copied
   * @param onFree run once, on any thread, when neither the stream nor an array uses the memory or its copy any more;
   *     not run if this call throws. If the segment is of an automatic arena, {@code onFree} must capture the segment,
   *     which thus stays reachable
   */
  static ArrowStream open(MemorySegment bytes, Runnable onFree, IpcReadOptions options) throws IOException {
    return ArrowStreamImpl.open(bytes, onFree, options);
  }

  /**
   * Opens a stream of bytes as a reader, which closes the input; see {@link #open(InputStream, IpcReadOptions)}.
   */
  static RecordBatchReader read(InputStream input, IpcReadOptions options) throws IOException {
    return open(input, options).reader();
  }

  /** Opens a stream in a file as a reader; see {@link #open(Path, IpcReadOptions)}. */
  static RecordBatchReader read(Path path, IpcReadOptions options) throws IOException {
    return open(path, options).reader();
  }

  /** Opens a stream in a file as a reader with the default options; see {@link #read(Path, IpcReadOptions)}. */
  static RecordBatchReader read(Path path) throws IOException {
    return read(path, IpcReadOptions.defaults());
  }

  /** Opens a stream of bytes as a reader with the default options; see {@link #read(InputStream, IpcReadOptions)}. */
  static RecordBatchReader read(InputStream input) throws IOException {
    return read(input, IpcReadOptions.defaults());
  }

  /** Returns the schema of the batches: of the chosen columns, with the stream's metadata. */
  Schema schema();

  /**
   * Reads the next batch, and the dictionaries before it. The caller closes the batch. It may outlive this stream.
   *
   * @return the batch, or null at the end
   * @throws IllegalStateException if this stream was closed, or passed to a reader
   * @throws IOException if the input cannot be read
   * @throws IpcException if the input is malformed, or a message needs more memory than
   *     {@link IpcReadOptions#maxAllocation}. Later calls then throw an {@link IllegalStateException}
   */
  @Nullable
  RecordBatch next() throws IOException;

  /**
   * Reads the remaining batches as one. The rest is as in {@link ArrowFile#readAll} and {@link #next}; this stream
   * stays open.
   */
  RecordBatch readAll() throws IOException;

  /** Returns the custom metadata of the message of the last batch; empty for none, and before the first batch. */
  Metadata metadata();

  /** Returns the custom metadata of the message with the schema, without the metadata of the schema. */
  Metadata schemaMessageMetadata();

  /**
   * Returns the custom metadata of the messages with dictionaries, with their numbers, between the last batch and the
   * batch before it, in their order. Messages without metadata are left out.
   */
  List<DictionaryMetadata> dictionaryMessageMetadata();

  /** Returns the compression of the last batch; {@link IpcCompression#NONE} before the first batch. */
  IpcCompression compression();

  /**
   * Returns a reader of the remaining batches. It consumes this stream; the caller closes the reader.
   *
   * <p>The reader's {@link RecordBatchReader#select} makes the same choice of columns as
   * {@link IpcReadOptions#withColumns}: buffers of other columns are skipped.
   *
   * @throws IllegalStateException if this stream was closed, or passed to a reader
   */
  RecordBatchReader reader();

  /** Closes the stream and its input. Closing twice does nothing. */
  @Override
  void close();
}
