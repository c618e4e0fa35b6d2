// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow arrays on any device, handed to native code and taken back without a copy.
 *
 * <p>Start with {@link org.arbalest.device.DeviceArray} (a batch, the unit of ownership),
 * {@link org.arbalest.device.types.Schema} (its type), {@link org.arbalest.device.DeviceArrayReader} (a stream of
 * batches) and {@link org.arbalest.device.Devices} (where memory is). What the handles below have in common: closing
 * twice does nothing; of one that was closed, exported or moved there still are its type, length and device, and
 * whatever needs the memory is an {@link IllegalStateException}, on any thread, before anything is read.
 *
 * <pre>{@code
 * try (DeviceArrayReader reader = CData.importStream(streamOfDuckDb, CImport.DATA)) {
 *   DeviceArray next;
 *   while ((next = reader.next()) != null) {
 *     try (DeviceArray batch = next; DeviceArray onGpu = batch.copyTo(Devices.device(DeviceType.CUDA, 0))) {
 *       // waits for nothing: the consumer waits for its event (the copy of text has waited for its lengths)
 *       CData.exportArray(onGpu, structOfKernel, CExport.DEVICE);
 *     }
 *   }
 * }
 * }</pre>
 *
 * <table>
 * <caption>The other packages</caption>
 * <tr><th>package</th><th>for</th></tr>
 * <tr><td>{@link org.arbalest.device.types}</td><td>types, fields, schemas</td></tr>
 * <tr><td>{@link org.arbalest.device.columns}</td><td>reading values</td></tr>
 * <tr><td>{@link org.arbalest.device.builders}</td><td>building arrays</td></tr>
 * <tr><td>{@link org.arbalest.device.objects}</td><td>rows as objects</td></tr>
 * <tr><td>{@link org.arbalest.device.async}</td><td>async streams</td></tr>
 * <tr><td>{@link org.arbalest.device.tensors}</td><td>tensors of DLPack</td></tr>
 * <tr><td>{@link org.arbalest.device.sharing}</td><td>arrays that several processes use</td></tr>
 * <tr><td>{@link org.arbalest.device.statistics}</td><td>counts and bounds of columns</td></tr>
 * <tr><td>{@link org.arbalest.device.monitoring}</td><td>what a process holds</td></tr>
 * <tr><td>{@link org.arbalest.device.c}</td><td>the door to C, and its structs</td></tr>
 * <tr><td>{@link org.arbalest.device.spi}</td><td>backends, and bridges to other libraries</td></tr>
 * </table>
 *
 * <table>
 * <caption>Who releases what</caption>
 * <tr><th>thing</th><th>released by</th></tr>
 * <tr><td>{@link org.arbalest.device.DeviceArray}</td><td>whoever has the handle: {@code close}, {@code move} or an
 * export</td></tr>
 * <tr><td>{@link org.arbalest.device.columns.Column}</td><td>nobody: borrowed from a handle, usable while that is
 * open</td></tr>
 * <tr><td>{@link org.arbalest.device.DeviceBuffer}</td><td>its creator, until it is moved into an array</td></tr>
 * <tr><td>{@link org.arbalest.device.DeviceArrayReader}</td><td>whoever has it: {@code close} or an export; what was
 * pulled lives on</td></tr>
 * <tr><td>{@link org.arbalest.device.async.AsyncArrayStream}</td><td>whoever imported it: a subscription, or
 * {@code close}; the producer releases the handler</td></tr>
 * <tr><td>{@link org.arbalest.device.async.AsyncTask}</td><td>whoever has it: {@code extract} or
 * {@code close}</td></tr>
 * <tr><td>{@link org.arbalest.device.DeviceStream}, {@link org.arbalest.device.SyncEvent},
 * {@link org.arbalest.device.MemoryPool}, {@link org.arbalest.device.builders.BatchBuilder}</td><td>whoever made it or
 * asked for it</td></tr>
 * <tr><td>an exported struct</td><td>C, by {@code release}, on any thread</td></tr>
 * <tr><td>a struct given to an import</td><td>us, also if the import throws; its memory is the caller's, and free when
 * the import has returned</td></tr>
 * </table>
 *
 * <p>All of this calls C, which the JVM has to allow, by {@code --enable-native-access}. Where it does not, whatever
 * needs C is an {@link java.lang.IllegalCallerException}, as in the JDK itself: each time, with a message that says
 * what to start the JVM with (DEV-20).
 *
 * <p>The whole of it, with failures, flows and the end of the process, is in {@code docs/ownership.md}.
 */
@NullMarked
package org.arbalest.device;

import org.jspecify.annotations.NullMarked;
