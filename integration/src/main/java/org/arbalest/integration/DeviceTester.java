// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.async.AsyncArrayStream;
import org.arbalest.device.async.AsyncProducer;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * The functions of {@link CDataTester} for the device interface, which Arrow's integration suite does not have: arrays,
 * streams and async streams.
 */
public final class DeviceTester {
  private DeviceTester() {}

  /** Exports a batch of a JSON file to an {@code ArrowDeviceArray}. */
  public static @Nullable String exportBatchFromJson(String path, int index, long address) {
    return Expectation.attempt(() -> {
      try (RecordBatch batch = Expectation.read(path).file().batch(index)) {
        CData.exportArray(batch, MemorySegment.ofAddress(address), CExport.DEVICE);
        return null;
      }
    });
  }

  /** Exports all batches of a JSON file to an {@code ArrowDeviceArrayStream}. */
  public static @Nullable String exportStreamFromJson(String path, long address) {
    return Expectation.attempt(() -> {
      try (RecordBatchReader reader = Expectation.read(path).file().reader()) {
        CData.exportStream(reader, MemorySegment.ofAddress(address), CExport.DEVICE);
        return null;
      }
    });
  }

  /**
   * Sends all batches of a JSON file to an {@code ArrowAsyncDeviceStreamHandler}, from another thread.
   *
   * @return a stage that completes when the handler is released
   * @throws IOException if the JSON file cannot be read; the handler is then unchanged
   */
  public static CompletionStage<Void> exportAsyncStreamFromJson(String path, long handler) throws IOException {
    RecordBatchReader reader = Expectation.read(path).file().reader();
    return CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), MemorySegment.ofAddress(handler),
        task -> Thread.ofPlatform().daemon().start(task), CExport.DEVICE);
  }

  /** Imports an {@code ArrowDeviceArray} with the schema of a JSON file, validates it, and compares it with a batch. */
  public static @Nullable String importBatchAndCompare(String path, int index, long address) {
    return Expectation.attempt(() -> {
      Expectation expected = Expectation.read(path);
      CImport options = CImport.DEVICE.schema(expected.file().schema().schema()).validation(Validation.FULL);
      try (RecordBatch found = CData.importBatch(MemorySegment.ofAddress(address), options)) {
        return expected.batchDifference(index, found);
      }
    });
  }

  /** Imports an {@code ArrowDeviceArrayStream}, and compares it with a JSON file. */
  public static @Nullable String importStreamAndCompare(String path, long address) {
    return Expectation.attempt(() -> {
      Expectation expected = Expectation.read(path);
      CImport options = CImport.DEVICE.validation(Validation.FULL);
      try (RecordBatchReader found = CData.importStream(MemorySegment.ofAddress(address), options)) {
        return expected.difference(found);
      }
    });
  }

  /**
   * Imports an async stream, and compares it with a JSON file.
   *
   * @param start passes the address of an {@code ArrowAsyncDeviceStreamHandler} to the producer, which then owns it. It
   *     returns before the stream ends
   */
  public static @Nullable String importAsyncStreamAndCompare(String path, LongConsumer start) {
    return Expectation.attempt(() -> {
      Expectation expected = Expectation.read(path);
      CImport options = CImport.DEVICE.validation(Validation.FULL);
      AsyncArrayStream stream = CData.importAsyncStream(options, handler -> start.accept(handler.address()));
      String difference;
      try (RecordBatchReader found = stream.reader(2)) {
        difference = expected.difference(found);
      }
      stream.released().toCompletableFuture().join();
      return difference;
    });
  }
}
