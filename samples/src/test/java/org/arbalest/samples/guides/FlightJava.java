// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.arrow.flight.BackpressureStrategy;
import org.apache.arrow.flight.BackpressureStrategy.WaitResult;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.arrow.ArrowReaders;
import org.arbalest.device.arrow.ArrowSchemas;
import org.arbalest.device.arrow.ArrowVectors;
import org.jspecify.annotations.Nullable;

/** A Flight server's answer and a Flight client's reader. docs/guides/arrow-java.md links here. */
final class FlightJava {
  private FlightJava() {}

  static Thread send(RecordBatchReader batches, ServerStreamListener listener, BufferAllocator allocator) {
    BackpressureStrategy pressure = new BackpressureStrategy.CallbackBackpressureStrategy();
    pressure.register(listener);
    return Thread.startVirtualThread(() -> {
      try (ArrowReader reader = ArrowReaders.toArrowReader(batches, allocator)) {
        listener.start(reader.getVectorSchemaRoot(), reader);
        while (reader.loadNextBatch()) {
          WaitResult client = pressure.waitForListener(0);
          if (client == WaitResult.CANCELLED) return;
          if (client != WaitResult.READY)
            throw CallStatus.UNAVAILABLE.withDescription("interrupted").toRuntimeException();
          listener.putNext();
        }
        listener.completed();
      } catch (Throwable t) { // otherwise the client waits forever
        listener.error(t);
      }
    });
  }

  static RecordBatchReader receive(FlightStream stream) {
    return RecordBatchReader.of(ArrowSchemas.toSchema(stream.getSchema(), stream.getDictionaryProvider()),
        new FlightBatches(stream));
  }

  record FlightBatches(FlightStream stream) implements DeviceArrayReader.Source<RecordBatch> {
    @Override
    public @Nullable RecordBatch next() {
      return shielded(stream::next) ? ArrowVectors.toRecordBatch(stream.getRoot(), stream.getDictionaryProvider())
          : null;
    }

    @Override
    public void cancel() {
      stream.cancel("the reader was closed", null);
    }

    @Override
    public void close() {
      shielded(() -> {
        try {
          stream.close();
        } catch (Exception e) {
          throw new IllegalStateException("Flight could not end the stream", e);
        }
        return true;
      });
    }

    /**
     * Runs a call on a thread that nothing interrupts. An interrupt in Flight's call can lose the end of the stream:
     * Flight then waits for it forever.
     */
    private static boolean shielded(Supplier<Boolean> call) {
      try {
        return CompletableFuture.supplyAsync(call, Thread::startVirtualThread).join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException failure ? failure : e;
      }
    }
  }
}
