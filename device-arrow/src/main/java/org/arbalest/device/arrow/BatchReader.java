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
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.jspecify.annotations.Nullable;

/**
 * A stream of device arrays as an {@link ArrowReader}. Where the dictionaries are the first batch's for good, this is pulled as soon as somebody asks for them,
 * and kept: Flight and IPC files write dictionaries once, before batches.
 */
final class BatchReader extends ArrowReader {
  private final DeviceArrayReader batches;

  /** Of the first batch; null if each batch's replace those before. */
  private final @Nullable LoadedDictionaries once;

  private boolean hasDictionaries;
  private boolean hasBegun;

  /** With dictionaries, which have its structs. */
  private @Nullable DeviceArray first;

  private boolean isFirstNext;
  private boolean hasLoadedFirst;
  private long bytesRead;

  BatchReader(DeviceArrayReader batches, BufferAllocator allocator, boolean mayReplace) {
    super(allocator);
    this.batches = batches;
    this.once = mayReplace ? null : new LoadedDictionaries(this);
    batches.schema(); // which there must be
  }

  /** As in a message: fields with dictionaries have the type of the values, and the reader makes the vectors of these. */
  @Override
  protected Schema readSchema() {
    try (MapDictionaryProvider dictionaries = new MapDictionaryProvider()) {
      Schema schema = ArrowSchemas.toArrowSchema(batches.schema(), dictionaries, allocator);
      hasDictionaries = !dictionaries.getDictionaryIds().isEmpty();
      List<Field> fields = new ArrayList<>(schema.getFields().size());
      for (Field field : schema.getFields()) fields.add(DictionaryUtility.toMessageFormat(field, dictionaries, new HashSet<>()));
      return new Schema(fields, schema.getCustomMetadata());
    }
  }

  @Override
  protected void ensureInitialized() throws IOException {
    super.ensureInitialized();
    if (hasBegun) return;
    hasBegun = true;
    if (once == null || !hasDictionaries) return;
    first = batches.next();
    if (first == null) return;
    isFirstNext = true;
    VectorSchemaRoot root = getVectorSchemaRoot();
    ArrowVectors.load(first, root, this, once);
    hasLoadedFirst = true;
    root.clear(); // until it is asked for
  }

  @Override
  public boolean loadNextBatch() throws IOException {
    prepareLoadNextBatch();
    if (first != null && !hasLoadedFirst) throw new IllegalStateException("the first batch, which has the dictionaries, could not be loaded");
    try (DeviceArray batch = next()) {
      if (batch == null) return false;
      VectorSchemaRoot root = getVectorSchemaRoot();
      ArrowVectors.load(batch, root, this, once == null ? new LoadedDictionaries(this) : once);
      for (FieldVector vector : root.getFieldVectors()) bytesRead += vector.getBufferSize();
      return true;
    }
  }

  private @Nullable DeviceArray next() {
    DeviceArray begin = first;
    if (begin == null || !isFirstNext) return batches.next();
    isFirstNext = false;
    return begin.retain();
  }

  /** What the batches' columns have taken up so far. */
  @Override
  public long bytesRead() {
    return bytesRead;
  }

  @Override
  public void close(boolean closeReadSource) throws IOException {
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
