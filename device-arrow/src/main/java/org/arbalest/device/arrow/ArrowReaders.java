// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.io.IOException;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.jspecify.annotations.Nullable;

/**
 * Arrow Java's readers as streams of device arrays, and back, batch by batch and without a copy; {@link ArrowVectors}
 * says who owns what.
 */
public final class ArrowReaders {
  private ArrowReaders() {}

  /**
   * The batches of a reader, such as one of an IPC file or of a query: each is the reader's root as it is when it is
   * pulled, and outlives what the reader loads next, if that comes in other buffers, as with all readers of Arrow
   * Java's own. One that fills its vectors anew where they are writes into arrays that are out there.
   *
   * @param reader passes to the result, which closes it; on failure it is closed, too
   * @return the stream, in main memory, to be closed by the caller
   * @throws IOException if the reader cannot read the schema
   */
  public static DeviceArrayReader toDeviceArrayReader(ArrowReader reader) throws IOException {
    Objects.requireNonNull(reader, "reader");
    try {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      return DeviceArrayReader.of(ArrowSchemas.toSchema(root.getSchema(), reader), new Batches(reader, root));
    } catch (Throwable t) {
      closeAfter(reader, t);
      throw t;
    }
  }

  /**
   * A reader of the batches of a stream, each loaded into the reader's one root: for IPC files and Flight, which write
   * dictionaries once. So these are the first batch's: where there are any, that is pulled with the root, which may
   * wait, and kept until the reader is closed; a batch behind it with other values is an error. What fails once fails
   * again, also for the root. Closed without its source, it leaves that behind the batches that were pulled.
   *
   * @param batches record batches that the CPU can read; passes to the result, which closes it, unless it is closed
   *     without its source; on failure it is closed, too
   * @param allocator who counts the buffers
   * @return the reader, to be closed by the caller
   */
  public static ArrowReader toArrowReader(DeviceArrayReader batches, BufferAllocator allocator) {
    return reader(batches, allocator, false);
  }

  /**
   * Likewise, but each batch's dictionaries replace those before, as Arrow Java's own readers have them: for who reads
   * the vectors batch by batch, and for {@code ArrowStreamWriter}, which writes them again. Not for IPC files and
   * Flight, where all batches would be read with the first ones.
   */
  public static ArrowReader toReplacingArrowReader(DeviceArrayReader batches, BufferAllocator allocator) {
    return reader(batches, allocator, true);
  }

  private static ArrowReader reader(DeviceArrayReader batches, BufferAllocator allocator, boolean mayReplace) {
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

  private record Batches(ArrowReader reader, VectorSchemaRoot root) implements DeviceArrayReader.Source {
    @Override
    public @Nullable DeviceArray next() throws IOException {
      return reader.loadNextBatch() ? ArrowVectors.toDeviceArray(root, reader) : null;
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
