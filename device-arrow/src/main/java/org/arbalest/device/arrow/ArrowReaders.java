// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import com.google.errorprone.annotations.CheckReturnValue;
import java.io.IOException;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.jspecify.annotations.Nullable;

/**
 * Conversions between Arrow Java's readers and streams of device arrays, batch by batch and without a copy; {@link
 * ArrowVectors} describes the ownership.
 */
@CheckReturnValue
public final class ArrowReaders {
  private ArrowReaders() {}

  /**
   * Returns the batches of a reader, for example of an IPC file or of a query.
   *
   * <p>Each batch is the content of the reader's root at the time of the pull. It outlives the reader's next load if
   * the reader loads into new buffers, as all of Arrow Java's own readers do. A reader that refills its vectors in
   * place overwrites the arrays of earlier batches.
   *
   * @param reader becomes the property of the result, which closes it; closed on failure too
   * @return the stream, in main memory; the caller closes it
   * @throws IOException if the reader cannot read the schema
   */
  public static RecordBatchReader toRecordBatchReader(ArrowReader reader) throws IOException {
    Objects.requireNonNull(reader, "reader");
    try {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      return RecordBatchReader.of(ArrowSchemas.toSchema(root.getSchema(), reader), new Batches(reader, root));
    } catch (Throwable t) {
      closeAfter(reader, t);
      throw t;
    }
  }

  /**
   * Returns a reader of the batches of a stream, which loads each batch into the reader's one root. Use it for IPC
   * files and Flight, which write dictionaries only once.
   *
   * <p>The dictionaries are those of the first batch. If the schema has dictionaries, the reader pulls the first batch
   * together with the root, which may block, and keeps the batch until the reader is closed. A later batch with other
   * dictionary values is an error. A failed call, also for the root, fails again with the same error. If the reader is
   * closed without its source, the source continues after the pulled batches.
   *
   * @param batches record batches that the CPU can read. They become the property of the result, which closes them,
   *     unless it is closed without its source; closed on failure too
   * @param allocator counts the buffers
   * @return the reader; the caller closes it
   */
  public static ArrowReader toArrowReader(RecordBatchReader batches, BufferAllocator allocator) {
    return reader(batches, allocator, false);
  }

  /**
   * Returns a reader of the batches of a stream; the dictionaries of each batch replace the earlier ones, as in Arrow
   * Java's own readers.
   *
   * <p>Use it to read the vectors batch by batch, and for {@code ArrowStreamWriter}, which writes changed dictionaries
   * again. Do not use it for IPC files and Flight: they would combine all batches with the first dictionaries. In all
   * other respects it is like {@link #toArrowReader}.
   *
   * @param batches record batches that the CPU can read; ownership is as for {@link #toArrowReader}
   * @param allocator counts the buffers
   * @return the reader; the caller closes it
   */
  public static ArrowReader toReplacingArrowReader(RecordBatchReader batches, BufferAllocator allocator) {
    return reader(batches, allocator, true);
  }

  private static ArrowReader reader(RecordBatchReader batches, BufferAllocator allocator, boolean mayReplace) {
    Objects.requireNonNull(batches, "batches");
    Objects.requireNonNull(allocator, "allocator");
    try {
      return new BatchReader(batches, allocator, mayReplace);
    } catch (Throwable t) {
      closeAfter(batches, t);
      throw t;
    }
  }

  private static void closeAfter(AutoCloseable source, Throwable failure) {
    try {
      source.close();
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  private record Batches(ArrowReader reader, VectorSchemaRoot root) implements DeviceArrayReader.Source<RecordBatch> {
    @Override
    public @Nullable RecordBatch next() throws IOException {
      return reader.loadNextBatch() ? ArrowVectors.toRecordBatch(root, reader) : null;
    }

    @Override
    public void close() {
      try {
        reader.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
