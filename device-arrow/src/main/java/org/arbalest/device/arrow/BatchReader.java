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

/** A stream of device arrays as an {@link ArrowReader}. */
final class BatchReader extends ArrowReader {
  private final DeviceArrayReader batches;
  private long bytesRead;

  BatchReader(DeviceArrayReader batches, BufferAllocator allocator) {
    super(allocator);
    this.batches = batches;
    batches.schema(); // which there must be
  }

  /** As in a message: fields with dictionaries have the type of the values, and the reader makes the vectors of these. */
  @Override
  protected Schema readSchema() {
    try (MapDictionaryProvider dictionaries = new MapDictionaryProvider()) {
      Schema schema = ArrowSchemas.toArrowSchema(batches.schema(), dictionaries, allocator);
      List<Field> fields = new ArrayList<>(schema.getFields().size());
      for (Field field : schema.getFields()) fields.add(DictionaryUtility.toMessageFormat(field, dictionaries, new HashSet<>()));
      return new Schema(fields, schema.getCustomMetadata());
    }
  }

  @Override
  public boolean loadNextBatch() throws IOException {
    prepareLoadNextBatch();
    try (DeviceArray batch = batches.next()) {
      if (batch == null) return false;
      VectorSchemaRoot root = getVectorSchemaRoot();
      ArrowVectors.loadInto(batch, root, this);
      for (FieldVector vector : root.getFieldVectors()) bytesRead += vector.getBufferSize();
      return true;
    }
  }

  /** What the batches' columns have taken up so far. */
  @Override
  public long bytesRead() {
    return bytesRead;
  }

  @Override
  protected void closeReadSource() {
    batches.close();
  }
}
