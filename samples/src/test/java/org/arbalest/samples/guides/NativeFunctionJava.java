// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;

/** A native function that takes a stream, called from Java: the snippet of docs/guides/sharing.md. */
final class NativeFunctionJava {
  private NativeFunctionJava() {}

  static long countRows(SymbolLookup library, RecordBatchReader reader) throws Throwable {
    MethodHandle countRows = Linker.nativeLinker().downcallHandle(library.findOrThrow("count_rows"),
        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
      CData.exportStream(reader, stream, CExport.DATA);
      return (long) countRows.invokeExact(stream);
    }
  }
}
