// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcOption;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CImport;
import org.jspecify.annotations.Nullable;

/** The list of a driver's options, from a function that the library exports outside its table. */
final class OptionsList {
  static final String SYMBOL = "AdbcDriverGetOptionsList";

  private OptionsList() {}

  /**
   * Returns the options of one kind of handle.
   *
   * @param function the function; null if the driver does not have it
   */
  static List<AdbcOption> of(String driver, @Nullable MemorySegment function, AdbcOption.Level level) {
    if (function == null) throw AdbcException.of(SYMBOL, AdbcStatus.NOT_IMPLEMENTED.code()).driver(driver)
        .message("the driver has no such function, or ADBC 1.2.0 was not requested").build();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
      call(driver, function, bit(level), stream, ErrorStruct.allocate(arena));
      try (RecordBatchReader rows = CData.importStream(stream, CImport.DATA)) {
        List<AdbcOption> options = new ArrayList<>();
        for (MetadataRow row : MetadataRow.all(rows, SYMBOL)) options.add(option(row));
        return options;
      }
    }
  }

  private static void call(String driver, MemorySegment function, int level, MemorySegment stream,
      MemorySegment error) {
    try {
      int status = Byte.toUnsignedInt(Signatures.ipp(function, level, stream, error));
      if (status == 0) return;
      // No details: they need functions of a table, which this function does not have.
      AdbcException.Builder failure = AdbcException.of(SYMBOL, status).driver(driver)
          .message(ErrorStruct.message(error)).sqlState(ErrorStruct.sqlState(error));
      throw DriverErrors.vendorCode(failure, error).build();
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    } finally {
      StatementBinding.release(ErrorStruct.release(error), error);
    }
  }

  private static AdbcOption option(MetadataRow row) {
    List<AdbcOption.Value> values = new ArrayList<>();
    for (MetadataRow value : row.rows("option_values")) {
      values.add(new AdbcOption.Value(value.textThatIsThere("value"), value.text("documentation")));
    }
    return new AdbcOption(row.textThatIsThere("option_name"),
        enumSet(AdbcOption.Level.class, row.numberThatIsThere("option_level")),
        enumSet(AdbcOption.Type.class, row.numberThatIsThere("option_type")), values, row.text("default_value"),
        isSet(row, "required"), isSet(row, "can_set_before"), isSet(row, "can_set_after"),
        row.text("option_documentation"));
  }

  private static boolean isSet(MetadataRow row, String name) {
    return Boolean.TRUE.equals(row.flag(name));
  }

  /** Returns the constants whose bits are set; the draft's bits have the order of the constants. */
  private static <E extends Enum<E>> Set<E> enumSet(Class<E> type, int bits) {
    Set<E> set = EnumSet.noneOf(type);
    for (E each : type.getEnumConstants()) {
      if ((bits & bit(each)) != 0) set.add(each);
    }
    return set;
  }

  @SuppressWarnings("EnumOrdinal") // the order is that of the draft
  private static int bit(Enum<?> constant) {
    return 1 << constant.ordinal();
  }
}
