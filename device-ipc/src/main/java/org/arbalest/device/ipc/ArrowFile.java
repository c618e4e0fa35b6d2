// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.List;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.ipc.internal.read.ArrowFileImpl;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;

/**
 * An open Arrow file (the IPC file format, also called Feather version 2): random access to its batches. Batches are
 * counted from 0.
 *
 * <p>A path is mapped into memory. Arrays of an uncompressed file point into the map, and nothing is copied. The map
 * lives until this file, its readers and its arrays are closed, and native code has released the exported ones.
 *
 * <p><b>A mapped file must be neither shortened nor overwritten</b> while the map lives. It may be replaced by a
 * rename, as {@link ArrowWriter} does. Access to a page that no longer exists ends the process in native code, and is
 * an {@link InternalError} in Java; calls of this package throw a {@link org.arbalest.device.DeviceException} with
 * {@code EIO} instead. To read a file that others may change, set {@link IpcReadOptions#withMemory}: each batch is then
 * read and checked in memory.
 *
 * <p>The caller closes the file. Any thread may use it, and several at a time. An interrupt of one of them ends no
 * read, and does not close the file.
 */
@CheckReturnValue
public sealed interface ArrowFile extends AutoCloseable permits ArrowFileImpl {
  /** Opens a file with the default options; see {@link #open(Path, IpcReadOptions)}. */
  static ArrowFile open(Path path) throws IOException {
    return open(path, IpcReadOptions.defaults());
  }

  /**
   * Opens a file: maps it, and reads its footer. With {@link IpcReadOptions#memory} it is not mapped: the buffers of a
   * batch are read when the batch is. Errors name the path.
   *
   * @throws IOException if the file cannot be read, or is a pipe or a device
   * @throws IpcException if it is not an Arrow file, or malformed
   * @throws IllegalArgumentException if the file does not have one of the chosen columns
   */
  static ArrowFile open(Path path, IpcReadOptions options) throws IOException {
    return ArrowFileImpl.open(path, options);
  }

  /**
   * Opens a file by its channel. The result owns the channel; if this call throws, the caller still owns it. The file
   * begins at the channel's position 0. Each batch is read into one allocation; see
   * {@link #open(Path, IpcReadOptions)}.
   */
  static ArrowFile open(SeekableByteChannel channel, IpcReadOptions options) throws IOException {
    return ArrowFileImpl.open(channel, options);
  }

  /**
   * Opens a file that is in memory. Arrays point into this memory. Errors: see {@link #open(Path, IpcReadOptions)}.
   *
   * @param bytes the whole file. A heap segment, such as {@code MemorySegment.ofArray(bytes)}, is copied
   * @param onFree run once, on any thread, when neither the file nor an array uses the memory or its copy any more; not
   *     run if this call throws. If the segment is of an automatic arena, {@code onFree} must capture the segment,
   * which
   *     thus stays reachable
   */
  static ArrowFile open(MemorySegment bytes, Runnable onFree, IpcReadOptions options) throws IOException {
    return ArrowFileImpl.open(bytes, onFree, options);
  }

  /**
   * Opens the file for one pass over its batches: a reader which closes the file.
   *
   * @throws IOException if the file cannot be read
   * @throws IpcException if it is not an Arrow file, or malformed
   * @throws IllegalArgumentException if the file does not have one of the chosen columns
   */
  static RecordBatchReader read(Path path, IpcReadOptions options) throws IOException {
    try (ArrowFile file = open(path, options)) {
      return file.reader();
    }
  }

  /** Opens the file for one pass, with the default options; see {@link #read(Path, IpcReadOptions)}. */
  static RecordBatchReader read(Path path) throws IOException {
    return read(path, IpcReadOptions.defaults());
  }

  /** Returns the schema of the batches: of the chosen columns, with the file's metadata. */
  Schema schema();

  /** Returns the custom metadata of the footer; empty for none. */
  Metadata metadata();

  /** Returns the number of batches. */
  int batchCount();

  /**
   * Returns the number of rows of all batches. Reads the metadata of each message once, and no body.
   *
   * @throws IOException if the file cannot be read
   * @throws IpcException if a message is malformed
   */
  long rowCount() throws IOException;

  /**
   * Returns the number of rows of a batch. Reads no body.
   *
   * @throws IndexOutOfBoundsException if no such batch exists
   * @throws IOException if the file cannot be read
   * @throws IpcException if the message is malformed
   */
  long rowCount(int batch) throws IOException;

  /** Returns the custom metadata of a batch's message; empty for none. The rest is as in {@link #rowCount(int)}. */
  Metadata metadata(int batch) throws IOException;

  /**
   * Returns the custom metadata of the message with the schema, without the metadata of the schema. It is empty if the
   * file has no such message, as files of Arrow JS, or has it without its size, as files of Polars.
   *
   * @throws IOException if the file cannot be read
   * @throws IpcException if the message is malformed
   */
  Metadata schemaMessageMetadata() throws IOException;

  /**
   * Returns the custom metadata of the messages with dictionaries, with their numbers, in the order of the footer.
   * Messages without metadata are left out. Reads no body. Errors: see {@link #schemaMessageMetadata}.
   */
  List<DictionaryMetadata> dictionaryMessageMetadata() throws IOException;

  /** Returns the compression of a batch. The rest is as in {@link #rowCount(int)}. */
  IpcCompression compression(int batch) throws IOException;

  /**
   * Reads a batch. The caller closes it. It may outlive this file.
   *
   * @throws IndexOutOfBoundsException if no such batch exists
   * @throws IllegalStateException if this file was closed, or if the compression needs aircompressor, which is missing
   * @throws IOException if the file cannot be read
   * @throws IpcException if the batch is malformed, or needs more memory than {@link IpcReadOptions#maxAllocation}
   */
  RecordBatch batch(int index) throws IOException;

  /**
   * Reads all batches as one, which has no rows if there is no batch. A single batch is read as by {@link #batch};
   * several are copied into one allocation, in {@link IpcReadOptions#memory}, without the limit
   * {@link IpcReadOptions#maxAllocation}. The caller closes the result.
   *
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} if the offsets or indices of the result are out of
   *     their range; with {@code ENOMEM} if there is not enough memory. Other errors: see {@link #batch}
   */
  RecordBatch readAll() throws IOException;

  /**
   * Returns a reader of all batches, in order. The caller closes it. It keeps the file open by itself.
   *
   * <p>The reader's {@link RecordBatchReader#select} makes the same choice of columns as
   * {@link IpcReadOptions#withColumns}: buffers of other columns are not read.
   *
   * @throws IllegalStateException if this file was closed
   */
  RecordBatchReader reader();

  /** Closes the file. Memory and channel are released with the last array and reader. Closing twice does nothing. */
  @Override
  void close();
}
