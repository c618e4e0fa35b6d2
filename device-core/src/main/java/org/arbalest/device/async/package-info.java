// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow's async device streams: a producer pushes tasks, as a consumer asks for them.
 *
 * <p>{@link org.arbalest.device.async.AsyncArrayStream} is the consumer: it connects to a producer in C, and is a
 * {@link java.util.concurrent.Flow.Publisher} of {@link org.arbalest.device.async.AsyncTask}s, each of which gives one
 * array. {@link org.arbalest.device.async.AsyncProducer} is the producer: it hands a reader's arrays, or a publisher's,
 * to a consumer in C. An {@link org.arbalest.device.async.AsyncQuirk} says how a known peer departs from the
 * specification. The subscriber extracts or closes each task, once. Signals arrive one at a time, on any thread.
 *
 * <pre>{@code
 * AsyncArrayStream stream = CData.importAsyncStream(CImport.DEVICE, handler -> startQuery(handler));
 * try (DeviceArrayReader reader = stream.reader(4)) {
 *   DeviceArray next;
 *   while ((next = reader.next()) != null) {
 *     try (DeviceArray batch = next) {
 *       System.out.println(batch.length() + " rows on " + batch.device());
 *     }
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.async;

import org.jspecify.annotations.NullMarked;
