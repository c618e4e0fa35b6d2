// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.jspecify.annotations.Nullable;

/**
 * A JSON file of Arrow's integration suite: a schema, dictionaries and batches. Immutable.
 *
 * <p>Floating-point numbers are those of Java's parser. NaN and infinities are texts, which the format does not define.
 */
public final class IntegrationFile {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION).build();

  private final JsonSchema schema;
  private final Map<Long, Json> dictionaries = new HashMap<>();
  private final List<Json> batches;

  private IntegrationFile(Json json) {
    json.allow(List.of("schema", "dictionaries", "batches"));
    schema = SchemaReader.schema(json.member("schema"));
    Json encoded = json.optional("dictionaries");
    for (int i = 0; encoded != null && i < encoded.size(); i++) addDictionary(encoded.at(i));
    batches = json.member("batches").map(batch -> batch);
  }

  private void addDictionary(Json json) {
    json.allow(List.of("id", "data"));
    Json data = json.member("data");
    data.allow(List.of("count", "columns"));
    Json column = data.member("columns").sized(1).at(0);
    if (column.member("count").count() != data.member("count").count()) {
      throw column.fault("it has another count than its batch");
    }
    if (dictionaries.putIfAbsent(json.member("id").integer(), column) != null) {
      throw json.fault("dictionary " + json.member("id").integer() + " occurs twice");
    }
  }

  /**
   * Reads a file.
   *
   * @throws IOException if the file cannot be read
   * @throws JsonFormatException if it is not JSON, or has no schema or malformed dictionaries
   */
  public static IntegrationFile read(Path path) throws IOException {
    return parse(Files.readString(path));
  }

  /** Reads a text; see {@link #read}. */
  public static IntegrationFile parse(String text) {
    try {
      return new IntegrationFile(new Json(MAPPER.readTree(text), "$"));
    } catch (JsonProcessingException e) {
      throw new JsonFormatException("the text is not JSON", String.valueOf(e.getMessage()));
    }
  }

  /** Returns the schema. */
  public JsonSchema schema() {
    return schema;
  }

  /** Returns the number of batches. */
  public int batchCount() {
    return batches.size();
  }

  /**
   * Makes an array of a batch. The caller closes it.
   *
   * @throws IndexOutOfBoundsException if no such batch exists
   * @throws JsonFormatException if the batch is malformed
   */
  public RecordBatch batch(int index) {
    Json json = batches.get(index);
    try (Buffers buffers = new Buffers()) {
      ArrayData data = new ColumnReader(dictionaries, buffers).batch(schema, json);
      return RecordBatch.of(schema.schema(), data);
    }
  }

  /** Returns a reader that makes the batches one after the other. The caller closes it. */
  public RecordBatchReader reader() {
    return RecordBatchReader.of(schema.schema(), new DeviceArrayReader.Source<RecordBatch>() {
      private int next;

      @Override
      public @Nullable RecordBatch next() {
        return next == batchCount() ? null : batch(next++);
      }
    });
  }

  /**
   * Writes batches, which stay open. The result has the names of the schema, not those of the batches.
   *
   * @throws IllegalArgumentException if two batches have different values in a dictionary of the same id, which the
   *     format cannot express
   */
  public static String write(JsonSchema schema, List<RecordBatch> batches) {
    ObjectNode json = MAPPER.createObjectNode();
    json.set("schema", SchemaWriter.schema(schema));
    ArrayNode encoded = MAPPER.createArrayNode();
    ArrayNode written = MAPPER.createArrayNode();
    ColumnWriter writer = new ColumnWriter();
    for (RecordBatch batch : batches) {
      try (ArrayData data = ArrayData.of(batch)) {
        written.add(writer.batch(schema, data));
      }
    }
    writer.dictionaries().forEach((id, column) -> {
      ObjectNode data = encoded.addObject().put("id", id).putObject("data");
      data.set("count", column.get("count"));
      data.putArray("columns").add(column);
    });
    if (!encoded.isEmpty()) json.set("dictionaries", encoded);
    json.set("batches", written);
    return json.toPrettyString();
  }
}
