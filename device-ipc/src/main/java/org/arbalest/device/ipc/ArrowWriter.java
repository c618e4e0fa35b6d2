// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.ipc.internal.write.ArrowWriterImpl;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;

/**
 * A writer of an Arrow file or stream.
 *
 * <p><b>{@link #finish} completes the output.</b> {@link #close} without it leaves the output incomplete: no file
 * appears at a path, and other output has no end mark and no footer. Readers reject a file without a footer. They
 * accept a stream without an end mark, unless {@link IpcReadOptions#withEndMarkRequired} is set.
 *
 * <p>Only the visible range of a slice is written. Buffers go from the array to the channel without a copy. These are
 * copied:
 *
 * <ul>
 *   <li>compressed buffers, and indices that move;
 *   <li>offsets and bits of a slice that do not begin with its first row;
 *   <li>a slice with views, list-views, dense unions or run-ends, which is made compact first;
 *   <li>a batch on a device, to main memory;
 *   <li>all bytes for an {@link OutputStream}, which receives heap arrays.
 * </ul>
 *
 * <p><b>Dictionaries.</b> A dictionary is written before the first batch that uses it, and again only if it changes. A
 * stream then has the whole dictionary again, which replaces the one before;
 * {@link IpcWriteOptions#withDictionaryDeltas} changes that. A file allows no replacement: the writer adds the
 * values that the file does not have (a delta), and moves the indices of the batch. It adds all values of the other
 * dictionary if they contain dictionaries or run-ends, or if comparing them costs too much. A dictionary that occurs
 * again is not added again. Some readers of other libraries do not read deltas in files. The writer keeps the memory
 * of the last batch with a new dictionary, and copies of a file's other dictionaries, until it is closed.
 *
 * <p>One thread at a time uses a writer. After an exception it accepts only {@link #close}, unless the exception says
 * that an argument was wrong.
 */
@CheckReturnValue
public sealed interface ArrowWriter extends AutoCloseable permits ArrowWriterImpl {
  /**
   * Creates a file at a path, or where links at the path lead. The bytes go to a temporary file in the same folder,
   * named {@code .NAME.UUID.tmp} with at most 40 characters of the name. {@link #finish} renames it, atomically where
   * the file system can do so, and replaces an older file. The new one then has the older one's permissions, if the
   * file system has these of POSIX, and its owner and group if the process may set them. With another group, group and
   * others have only the permissions that both had. Other attributes, such as access lists, are not kept. It waits
   * until the disk has the bytes only with {@link IpcWriteOptions#withSync}. A process that is killed leaves the
   * temporary file behind.
   *
   * @throws IOException if the temporary file cannot be created or cannot have these permissions, or the path is not
   *     that of a regular file
   * @throws IllegalArgumentException if the schema has a dictionary of dictionaries, which the format cannot express
   */
  static ArrowWriter file(Path path, Schema schema, IpcWriteOptions options) throws IOException {
    return ArrowWriterImpl.file(path, schema, options);
  }

  /**
   * Writes a file to a channel. The result owns the channel; if this call throws, the caller still owns it.
   *
   * @throws IllegalArgumentException if the channel is in non-blocking mode, or as with a path
   */
  static ArrowWriter file(WritableByteChannel channel, Schema schema, IpcWriteOptions options) throws IOException {
    return ArrowWriterImpl.file(channel, schema, options);
  }

  /** Writes a file to a stream of bytes. The result owns the output; if this call throws, the caller still owns it. */
  static ArrowWriter file(OutputStream output, Schema schema, IpcWriteOptions options) throws IOException {
    return ArrowWriterImpl.file(output, schema, options);
  }

  /** Writes an Arrow stream to a path, by a temporary file as {@link #file(Path, Schema, IpcWriteOptions)} does. */
  static ArrowWriter stream(Path path, Schema schema, IpcWriteOptions options) throws IOException {
    return ArrowWriterImpl.stream(path, schema, options);
  }

  /**
   * Writes an Arrow stream to a channel. The result owns the channel; if this call throws, the caller still owns it.
   *
   * @throws IllegalArgumentException if the channel is in non-blocking mode, or as with a path
   */
  static ArrowWriter stream(WritableByteChannel channel, Schema schema, IpcWriteOptions options) throws IOException {
    return ArrowWriterImpl.stream(channel, schema, options);
  }

  /**
   * Writes an Arrow stream to a stream of bytes. The result owns the output; if this call throws, the caller still owns
   * it.
   */
  static ArrowWriter stream(OutputStream output, Schema schema, IpcWriteOptions options) throws IOException {
    return ArrowWriterImpl.stream(output, schema, options);
  }

  /**
   * Writes all batches of a reader to a file, and closes the reader. If this call throws, no file is made, and an older
   * file remains.
   *
   * @throws IOException if the file cannot be written
   * @throws org.arbalest.device.DeviceException with the errors of the reader and of {@link #write}
   */
  static void writeFile(Path path, RecordBatchReader reader, IpcWriteOptions options) throws IOException {
    ArrowWriterImpl.writeAll(path, true, reader, options);
  }

  /** Writes all batches of a reader to a file with the default options, and closes the reader. */
  static void writeFile(Path path, RecordBatchReader reader) throws IOException {
    writeFile(path, reader, IpcWriteOptions.defaults());
  }

  /**
   * Writes all batches of a reader as a file to a channel, and closes the reader. The channel stays open. Errors: see
   * {@link #writeFile(Path, RecordBatchReader, IpcWriteOptions)}.
   */
  static void writeFile(WritableByteChannel channel, RecordBatchReader reader, IpcWriteOptions options)
      throws IOException {
    ArrowWriterImpl.writeAll(channel, true, reader, options);
  }

  /**
   * Writes all batches of a reader as a file to a stream of bytes, and closes the reader. The output stays open.
   * Errors: see {@link #writeFile(Path, RecordBatchReader, IpcWriteOptions)}.
   */
  static void writeFile(OutputStream output, RecordBatchReader reader, IpcWriteOptions options) throws IOException {
    ArrowWriterImpl.writeAll(output, true, reader, options);
  }

  /**
   * Writes all batches of a reader as an Arrow stream to a path. The rest is as in
   * {@link #writeFile(Path, RecordBatchReader, IpcWriteOptions)}.
   */
  static void writeStream(Path path, RecordBatchReader reader, IpcWriteOptions options) throws IOException {
    ArrowWriterImpl.writeAll(path, false, reader, options);
  }

  /**
   * Writes all batches of a reader as an Arrow stream with its end mark, and closes the reader. The channel stays open.
   * Errors: see {@link #writeFile(Path, RecordBatchReader, IpcWriteOptions)}.
   */
  static void writeStream(WritableByteChannel channel, RecordBatchReader reader, IpcWriteOptions options)
      throws IOException {
    ArrowWriterImpl.writeAll(channel, false, reader, options);
  }

  /**
   * Writes all batches of a reader as an Arrow stream with its end mark, and closes the reader. The output stays open.
   * Errors: see {@link #writeFile(Path, RecordBatchReader, IpcWriteOptions)}.
   */
  static void writeStream(OutputStream output, RecordBatchReader reader, IpcWriteOptions options) throws IOException {
    ArrowWriterImpl.writeAll(output, false, reader, options);
  }

  /**
   * Writes a batch, which stays open. A batch on a device, or one whose buffers are not ready, is awaited.
   *
   * @throws IllegalArgumentException if the batch has another schema than the writer: other types, other names of
   *     columns or of fields in structs and unions, or another order of them. The batch's metadata, and the names of
   * list
   *     items, map entries and run-ends, may differ: the file has those of the writer's schema. The writer still works
   * @throws IllegalStateException if the writer is finished, closed, or has failed before, or if the compression needs
   *     aircompressor, which is missing
   * @throws IOException if the output cannot be written
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if the batch is malformed, has nulls that the
   *     writer's schema excludes, or has a dictionary that a file cannot have; with the errors of a copy
   */
  void write(RecordBatch batch) throws IOException;

  /** Writes a batch with custom metadata of its message; see {@link #write(RecordBatch)}. */
  void write(RecordBatch batch, Metadata metadata) throws IOException;

  /**
   * Writes the remaining batches of a reader, which stays open.
   *
   * @throws IOException if the output cannot be written
   * @throws org.arbalest.device.DeviceException with the errors of the reader and of {@link #write(RecordBatch)}
   */
  void writeAll(RecordBatchReader reader) throws IOException;

  /** Returns the number of bytes that were passed to the output so far. */
  long bytesWritten();

  /**
   * Completes the output: writes the end mark, and the footer of a file, and renames the temporary file of a path. The
   * caller still closes this writer. A second call does nothing.
   *
   * @throws IllegalStateException if the writer was closed, or has failed before
   * @throws IOException if the output cannot be written, or the file cannot be renamed
   */
  void finish() throws IOException;

  /**
   * Closes the writer without completing the output. It is {@link #close} without the warning, for an output that the
   * caller does not want any more.
   */
  void abandon() throws IOException;

  /**
   * Closes the writer and its output. Deletes the temporary file of a path unless {@link #finish} completed it. If
   * batches were written, {@link #finish} was not called and the last call did not fail, it logs a warning with the
   * logger {@code org.arbalest.device.ipc}. Closing twice does nothing.
   */
  @Override
  void close() throws IOException;
}
