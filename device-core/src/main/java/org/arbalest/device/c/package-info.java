// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow's C interfaces: one door, and the structs that cross it.
 *
 * <p>{@link org.arbalest.device.c.CData} imports and exports. {@link org.arbalest.device.c.CImport} and
 * {@link org.arbalest.device.c.CExport} say by which interface, and what the other side asked for. Each {@code …Struct}
 * is a C struct: its layout, memory for one, and accessors that check bounds and lifetime as the JDK does. Pointers in
 * them are segments without bytes; whoever follows one says its size, by {@link
 * java.lang.foreign.MemorySegment#reinterpret(long)}.
 *
 * {@snippet :
 * try (Arena arena = Arena.ofConfined()) {
 *   MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
 *   int errno = theirs.query(stream); // C writes the struct
 *   if (errno != 0) throw new IOException("errno " + errno);
 *   try (DeviceArrayReader reader = CData.importStream(stream, CImport.DATA)) {
 *     reader.forEach(batch -> System.out.println(batch.length())); // each is open for that long
 *   }
 *   MemorySegment array = ArrowDeviceArrayStruct.allocate(arena);
 *   CData.exportArray(result, array, CExport.DEVICE);
 *   theirs.consume(array); // C releases it
 * }
 * }
 */
@NullMarked
package org.arbalest.device.c;

import org.jspecify.annotations.NullMarked;
