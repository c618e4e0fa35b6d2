// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow's async device streams: a producer pushes the tasks that a consumer has requested.
 *
 * <p>{@link org.arbalest.device.async.AsyncArrayStream} is the consumer. It connects to a producer in native code and
 * publishes {@link org.arbalest.device.async.AsyncTask}s as a {@link java.util.concurrent.Flow.Publisher}. Each task
 * gives one array. {@link org.arbalest.device.async.AsyncProducer} is the producer. It passes the arrays of a reader or
 * a publisher to a consumer in native code. An {@link org.arbalest.device.async.AsyncQuirk} describes how a known peer
 * differs from the specification. The subscriber extracts or closes each task, once. Signals arrive one at a time, on
 * any thread.
 *
 * <pre>{@code
 * AsyncArrayStream stream = CData.importAsyncStream(CImport.DEVICE, handler -> startQuery(handler));
 * try (RecordBatchReader reader = stream.reader(4)) {
 *   RecordBatch next;
 *   while ((next = reader.next()) != null) {
 *     try (RecordBatch batch = next) {
 *       System.out.println(batch.length() + " rows on " + batch.device());
 *     }
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.async;

import org.jspecify.annotations.NullMarked;
