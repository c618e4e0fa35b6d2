// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.lang.foreign.*;
import org.arbalest.device.adbc.DuckDbDriver;
import org.arbalest.device.c.*;

/** The README's program in Java: passes the rows of a query to {@code sum_prices.c}, whose library is its argument. */
public final class DuckDbToC {
  public static void main(String[] args) throws Throwable {
    var sum = SymbolLookup.libraryLookup(args[0], Arena.global()).findOrThrow("sum_prices");
    var type = FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, ValueLayout.ADDRESS);
    var function = Linker.nativeLinker().downcallHandle(sum, type);
    try (var database = DuckDbDriver.open(); var duckdb = database.connect()) {
      var stream = ArrowArrayStreamStruct.allocate(Arena.ofAuto()); // the memory of the struct
      CData.exportStream(duckdb.query("SELECT i / 2 AS price FROM range(1000) t(i)"), stream, CExport.DATA);
      System.out.println((double) function.invokeExact(stream)); // 249750.0
    }
  }
}
