// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow arrays on any device, exchanged with native code without a copy.
 *
 * <p>Start with four types. A {@link org.arbalest.device.RecordBatch} is a reference to an array, usually to a record
 * batch, and the unit of ownership. A {@link org.arbalest.device.types.Schema} is the type of a batch. A
 * {@link org.arbalest.device.RecordBatchReader} is a stream of batches. The class {@link org.arbalest.device.Devices}
 * finds the devices whose memory contains the arrays.
 *
 * <p>All handles follow the same rules. Closing a handle twice does nothing. A handle that was closed, exported or
 * moved still returns its type, length and device. Each call that needs the memory then throws an
 * {@link IllegalStateException}, on any thread, before it reads anything.
 *
 * <pre>{@code
 * try (RecordBatchReader reader = CData.importStream(streamOfDuckDb, CImport.DATA)) {
 *   RecordBatch next;
 *   while ((next = reader.next()) != null) {
 *     try (RecordBatch batch = next; RecordBatch onGpu = batch.copyTo(Devices.device(DeviceType.CUDA, 0))) {
 *       // Does not wait: the consumer waits for the event. (The copy of text has waited for the lengths.)
 *       CData.exportArray(onGpu, structOfKernel, CExport.DEVICE);
 *     }
 *   }
 * }
 * }</pre>
 *
 * <table>
 * <caption>The other packages</caption>
 * <tr><th>package</th><th>content</th></tr>
 * <tr><td>{@link org.arbalest.device.types}</td><td>types, fields, schemas</td></tr>
 * <tr><td>{@link org.arbalest.device.columns}</td><td>reading values</td></tr>
 * <tr><td>{@link org.arbalest.device.builders}</td><td>building arrays</td></tr>
 * <tr><td>{@link org.arbalest.device.objects}</td><td>rows as objects</td></tr>
 * <tr><td>{@link org.arbalest.device.async}</td><td>async streams</td></tr>
 * <tr><td>{@link org.arbalest.device.tensors}</td><td>DLPack tensors</td></tr>
 * <tr><td>{@link org.arbalest.device.sharing}</td><td>arrays that several processes use</td></tr>
 * <tr><td>{@link org.arbalest.device.statistics}</td><td>counts and bounds of columns</td></tr>
 * <tr><td>{@link org.arbalest.device.monitoring}</td><td>the resources of a process</td></tr>
 * <tr><td>{@link org.arbalest.device.c}</td><td>imports and exports by Arrow's C interfaces, and their
 * structs</td></tr>
 * <tr><td>{@link org.arbalest.device.spi}</td><td>backends, and bridges to other libraries</td></tr>
 * </table>
 *
 * <table>
 * <caption>The owner of each resource.</caption>
 * <tr><th>Resource</th><th>Released by</th></tr>
 * <tr><td>A {@link org.arbalest.device.RecordBatch}</td><td>its owner: {@code close}, {@code move} or an
 * export.</td></tr>
 * <tr><td>A {@link org.arbalest.device.columns.Column}</td><td>not released: borrowed from a handle, and valid while
 * that is open.</td></tr>
 * <tr><td>A {@link org.arbalest.device.DeviceBuffer}</td><td>its creator, until it moves into an array.</td></tr>
 * <tr><td>A {@link org.arbalest.device.RecordBatchReader}</td><td>its owner: {@code close}, an export, or a method that
 * returns a reader. Pulled arrays stay open.</td></tr>
 * <tr><td>An {@link org.arbalest.device.async.AsyncArrayStream}</td><td>its importer: a subscription, or {@code close}.
 * The producer releases the handler.</td></tr>
 * <tr><td>An {@link org.arbalest.device.async.AsyncTask}</td><td>its owner: {@code extract} or {@code close}.</td></tr>
 * <tr><td>A {@link org.arbalest.device.DeviceStream} or a {@link org.arbalest.device.SyncEvent}</td><td>the caller that
 * created or requested it.</td></tr>
 * <tr><td>A {@link org.arbalest.device.MemoryPool} or a {@link org.arbalest.device.builders.BatchBuilder}</td><td>its
 * creator.</td></tr>
 * <tr><td>An exported struct</td><td>the native consumer, by {@code release}, on any thread.</td></tr>
 * <tr><td>A struct given to an import</td><td>the library, also if the import throws a
 * {@link org.arbalest.device.DeviceException}. If the import rejects an argument, the caller still owns the struct; see
 * {@link org.arbalest.device.c.CData}. The caller owns the struct's memory, and may free it when the import has
 * returned.</td></tr>
 * </table>
 *
 * <p>The JVM must permit native access, by {@code --enable-native-access}. Where it denies native access, each call
 * that needs native code throws an {@link java.lang.IllegalCallerException}, as the JDK itself does, and changes
 * nothing. The message names the flag to start the JVM with (DEV-20). A JVM without native calls, such as Zero, throws
 * an {@link java.lang.UnsupportedOperationException}.
 *
 * <p>The ownership guide, {@code docs/ownership.md}, also describes failures, flows and the end of the process.
 */
@NullMarked
package org.arbalest.device;

import org.jspecify.annotations.NullMarked;
