// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Schema;
import org.arbalest.integration.json.IntegrationFile;
import org.jspecify.annotations.Nullable;

/**
 * The content of a JSON file, with which a schema and batches are compared. Each comparison returns the first
 * difference, or null without one.
 */
record Expectation(IntegrationFile file) {
  static Expectation read(String path) throws IOException {
    return new Expectation(IntegrationFile.read(Path.of(path)));
  }

  @Nullable
  String schemaDifference(Schema found) {
    return SchemaComparison.difference(file.schema().schema(), found);
  }

  @Nullable
  String batchDifference(int index, RecordBatch found) {
    try (RecordBatch expected = file.batch(index)) {
      return BatchComparison.difference(index, expected, found);
    }
  }

  /** Compares the schema and all batches of a reader, which stays open. */
  @Nullable
  String difference(RecordBatchReader found) {
    String difference = schemaDifference(found.schema());
    int count = 0;
    while (difference == null) {
      try (RecordBatch batch = found.next()) {
        if (batch == null) return countDifference(count);
        if (count < file.batchCount()) difference = batchDifference(count, batch);
        count++;
      }
    }
    return difference;
  }

  @Nullable
  String countDifference(int found) {
    return found == file.batchCount() ? null : "expected " + file.batchCount() + " batches, found " + found;
  }

  /** Returns the result of an action; the text of an exception, with those of its causes. */
  static @Nullable String attempt(Callable<@Nullable String> action) {
    try {
      return action.call();
    } catch (Exception e) {
      StringBuilder text = new StringBuilder(e.toString());
      for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
        text.append("; caused by ").append(cause);
      }
      return text.toString();
    }
  }
}
