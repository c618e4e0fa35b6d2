// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.DictionaryUtility;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.jspecify.annotations.Nullable;

/**
 * A stream of device arrays as an {@link ArrowReader}. If the dictionaries are permanently those of the first batch,
 * this reader pulls that batch as soon as a caller requests the dictionaries, and keeps it: Flight and IPC files write
 * dictionaries once, before the batches.
 */
final class BatchReader extends ArrowReader {
  private final RecordBatchReader batches;

  /** The dictionaries of the first batch, for all batches; null if each batch replaces them, or the schema has none. */
  private @Nullable LoadedDictionaries once;

  /** The first batch; {@link #once} refers to its structs. */
  private @Nullable RecordBatch first;

  private State state = State.NEW;
  private @Nullable Throwable failure;
  private long bytesRead;

  private enum State {
    /** Nothing was pulled. */
    NEW,
    /** The first batch was pulled for its dictionaries, and is the next one. */
    AHEAD,
    /** The next pull returns the next batch. */
    BEGUN,
    CLOSED
  }

  BatchReader(RecordBatchReader batches, BufferAllocator allocator, boolean mayReplace) {
    super(allocator);
    this.batches = batches;
    this.once = mayReplace ? null : new LoadedDictionaries(this);
    var _ = batches.schema(); // fails unless the stream has a schema
  }

  /**
   * Returns the schema in message format: fields with dictionaries have the type of the values. The superclass makes
   * the vectors of the dictionaries.
   */
  @Override
  protected Schema readSchema() {
    try (MapDictionaryProvider dictionaries = new MapDictionaryProvider()) {
      Schema schema = ArrowSchemas.toArrowSchema(batches.schema(), dictionaries, allocator);
      requireVectors(schema);
      if (dictionaries.getDictionaryIds().isEmpty()) once = null;
      List<Field> fields = new ArrayList<>(schema.getFields().size());
      for (Field field : schema.getFields())
        fields.add(DictionaryUtility.toMessageFormat(field, dictionaries, new HashSet<>()));
      return new Schema(fields, schema.getCustomMetadata());
    }
  }

  /**
   * Fails with the path of a field for which Arrow Java cannot create a vector; Arrow Java's own error does not name
   * it.
   */
  private void requireVectors(Schema schema) {
    try {
      for (FieldVector vector : ArrowSchemas.vectors(schema, allocator)) vector.close();
    } catch (Unfit e) {
      throw e.toDeviceException();
    }
  }

  /** A failed call fails again, so that no batch is skipped. */
  @Override
  protected void ensureInitialized() throws IOException {
    super.ensureInitialized();
    Releases.raise(failure);
    if (state != State.NEW) return;
    state = State.BEGUN;
    if (once == null) return;
    try {
      first = batches.next();
      if (first == null) return;
      ArrowVectors.loadDictionaries(first, getVectorSchemaRoot().getSchema(), once);
      state = State.AHEAD;
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public boolean loadNextBatch() throws IOException {
    if (state == State.CLOSED) throw new IllegalStateException("the reader was closed");
    prepareLoadNextBatch();
    try (RecordBatch batch = next()) {
      if (batch == null) return false;
      VectorSchemaRoot root = getVectorSchemaRoot();
      ArrowVectors.load(batch, root, this, once == null ? new LoadedDictionaries(this) : once);
      for (FieldVector vector : root.getFieldVectors()) bytesRead += vector.getBufferSize();
      return true;
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  private @Nullable RecordBatch next() {
    RecordBatch ahead = state == State.AHEAD ? first : null;
    state = State.BEGUN;
    return ahead == null ? batches.next() : ahead.retain();
  }

  /** Returns the total size in bytes of the buffers of the batches' columns so far. */
  @Override
  public long bytesRead() {
    return bytesRead;
  }

  @Override
  public void close(boolean closeReadSource) throws IOException {
    state = State.CLOSED;
    try {
      super.close(closeReadSource);
    } finally {
      if (first != null) first.close();
    }
  }

  @Override
  protected void closeReadSource() {
    batches.close();
  }
}
