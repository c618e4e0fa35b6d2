// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow's C interfaces: import, export, and the C structs.
 *
 * <p>{@link org.arbalest.device.c.CData} imports and exports. {@link org.arbalest.device.c.CImport} and
 * {@link org.arbalest.device.c.CExport} select the interface and carry the requests of the other side. Each
 * {@code …Struct} class describes a C struct: its layout, memory for one struct, and accessors. The accessors check
 * bounds and lifetime as the JDK does. Pointers in the structs are segments of zero length. To follow a pointer, set
 * its size with {@link java.lang.foreign.MemorySegment#reinterpret(long)}.
 *
 * <p>{@code CData} needs only the address of a struct, and no {@code reinterpret}:
 * {@code CData.importStream(MemorySegment.ofAddress(address), CImport.DATA)}.
 *
 * {@snippet :
 * try (Arena arena = Arena.ofConfined()) {
 *   MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
 *   int errno = engine.query(stream); // the native engine writes the struct
 *   if (errno != 0) throw new IOException("errno " + errno);
 *   try (RecordBatchReader reader = CData.importStream(stream, CImport.DATA)) {
 *     reader.forEach(batch -> System.out.println(batch.length())); // each batch is open until the lambda returns
 *   }
 *   MemorySegment array = ArrowDeviceArrayStruct.allocate(arena);
 *   CData.exportArray(result, array, CExport.DEVICE);
 *   engine.consume(array); // the native engine releases it
 * }
 * }
 */
@NullMarked
package org.arbalest.device.c;

import org.jspecify.annotations.NullMarked;
