// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.LargeListViewType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.ListViewType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionMode;
import org.arbalest.device.types.NestedType.UnionType;
import org.arbalest.device.types.ArrowTimeUnit;
import org.jspecify.annotations.Nullable;

/** Parses and writes the format strings of the C data interface (SCH-20). */
public final class Format {
  private Format() {}

  /**
   * Returns the type for a format string, the children's fields and a map's flag. Throws an IllegalArgumentException
   * that quotes the format (SCH-01).
   */
  static DataType read(String format, List<Field> children, boolean keysSorted) {
    try {
      return parse(format, children, keysSorted);
    } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
      throw unknown(format, "malformed");
    } catch (IllegalArgumentException e) {
      throw unknown(format, String.valueOf(e.getMessage()));
    }
  }

  private static DataType parse(String format, List<Field> children, boolean keysSorted) {
    if (format.startsWith("+")) return nested(format, children, keysSorted);
    if (!children.isEmpty())
      throw new IllegalArgumentException("has no children, but " + children.size() + " were given");
    return switch (format) {
      case "n" -> DataType.NULL;
      case "b" -> DataType.BOOL;
      case "c" -> DataType.INT8;
      case "C" -> DataType.UINT8;
      case "s" -> DataType.INT16;
      case "S" -> DataType.UINT16;
      case "i" -> DataType.INT32;
      case "I" -> DataType.UINT32;
      case "l" -> DataType.INT64;
      case "L" -> DataType.UINT64;
      case "e" -> DataType.FLOAT16;
      case "f" -> DataType.FLOAT32;
      case "g" -> DataType.FLOAT64;
      case "z" -> DataType.BINARY;
      case "Z" -> DataType.LARGE_BINARY;
      case "vz" -> DataType.BINARY_VIEW;
      case "u" -> DataType.UTF8;
      case "U" -> DataType.LARGE_UTF8;
      case "vu" -> DataType.UTF8_VIEW;
      case "tdD" -> DataType.DATE32;
      case "tdm" -> DataType.DATE64;
      case "tiM" -> DataType.INTERVAL_YEAR_MONTH;
      case "tiD" -> DataType.INTERVAL_DAY_TIME;
      case "tin" -> DataType.INTERVAL_MONTH_DAY_NANO;
      default -> parameterised(format);
    };
  }

  private static DataType parameterised(String format) {
    if (format.startsWith("w:")) return new FixedSizeBinaryType(number(format.substring(2)));
    if (format.startsWith("d:")) return decimal(format.substring(2).split(",", -1));
    if (format.startsWith("tt") && format.length() == 3) return new TimeType(unit(format));
    if (format.startsWith("tD") && format.length() == 3) return new DurationType(unit(format));
    if (format.startsWith("ts") && format.charAt(3) == ':') return new TimestampType(unit(format), format.substring(4));
    throw new IllegalArgumentException("unknown");
  }

  private static DataType nested(String format, List<Field> children, boolean keysSorted) {
    return switch (format) {
      case "+s" -> new StructType(children);
      case "+l" -> new ListType(only(children));
      case "+L" -> new LargeListType(only(children));
      case "+vl" -> new ListViewType(only(children));
      case "+vL" -> new LargeListViewType(only(children));
      case "+m" -> new MapType(withRequiredKeys(only(children)), keysSorted);
      case "+r" -> {
        expect(2, children);
        yield new RunEndEncodedType(children.get(0).withNullable(false), children.get(1));
      }
      default -> {
        if (format.startsWith("+w:")) yield new FixedSizeListType(only(children), number(format.substring(3)));
        if (format.startsWith("+ud:")) yield new UnionType(UnionMode.DENSE, typeIds(format), children);
        if (format.startsWith("+us:")) yield new UnionType(UnionMode.SPARSE, typeIds(format), children);
        throw new IllegalArgumentException("unknown");
      }
    };
  }

  private static DataType decimal(String[] parts) {
    if (parts.length != 2 && parts.length != 3) throw new IllegalArgumentException("malformed");
    return new DecimalType(parts.length == 3 ? number(parts[2]) : 128, number(parts[0]), signed(parts[1]));
  }

  private static List<Integer> typeIds(String format) {
    String ids = format.substring(4);
    if (ids.isEmpty()) return List.of();
    return List.of(ids.split(",", -1)).stream().map(Format::number).toList();
  }

  /**
   * Parses a decimal number without a sign. {@code parseInt} would also accept a plus and the digits of other scripts.
   */
  private static int number(String text) {
    if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) throw new NumberFormatException(text);
    return Integer.parseInt(text);
  }

  private static int signed(String text) {
    return text.startsWith("-") ? -number(text.substring(1)) : number(text);
  }

  /** Returns the letter of a unit in format strings. */
  static char letter(ArrowTimeUnit unit) {
    return switch (unit) {
      case SECOND -> 's';
      case MILLISECOND -> 'm';
      case MICROSECOND -> 'u';
      case NANOSECOND -> 'n';
    };
  }

  private static ArrowTimeUnit unit(String format) {
    return switch (format.charAt(2)) {
      case 's' -> ArrowTimeUnit.SECOND;
      case 'm' -> ArrowTimeUnit.MILLISECOND;
      case 'u' -> ArrowTimeUnit.MICROSECOND;
      case 'n' -> ArrowTimeUnit.NANOSECOND;
      default -> throw new IllegalArgumentException("unknown");
    };
  }

  private static Field only(List<Field> children) {
    expect(1, children);
    return children.getFirst();
  }

  /**
   * Makes the keys of a map's entries not nullable. Some producers declare them nullable, among them older DuckDB and
   * Velox (SCH-14).
   */
  private static Field withRequiredKeys(Field entries) {
    if (!(entries.type() instanceof StructType(List<Field> fields)) || fields.size() != 2) return entries;
    StructType type = new StructType(List.of(fields.get(0).withNullable(false), fields.get(1)));
    return FieldImpl.of(entries.name(), type, entries.flags(), entries.metadata());
  }

  private static void expect(int count, List<Field> children) {
    if (children.size() != count) {
      throw new IllegalArgumentException("has " + count + " children, but " + children.size() + " were given");
    }
  }

  private static IllegalArgumentException unknown(String format, String why) {
    return new IllegalArgumentException("format \"" + format + "\": " + why);
  }

  public static String write(DataType type) {
    return switch (type) {
      case NullType _ -> "n";
      case BoolType _ -> "b";
      case IntType(int bits, boolean signed) -> integer(bits, signed);
      case FloatType(int bits) -> bits == 16 ? "e" : bits == 32 ? "f" : "g";
      case DecimalType(int bits, int precision, int scale) ->
          "d:" + precision + "," + scale + (bits == 128 ? "" : "," + bits);
      case Utf8Type _ -> "u";
      case LargeUtf8Type _ -> "U";
      case Utf8ViewType _ -> "vu";
      case BinaryType _ -> "z";
      case LargeBinaryType _ -> "Z";
      case BinaryViewType _ -> "vz";
      case FixedSizeBinaryType(int width) -> "w:" + width;
      case DateType(DateUnit unit) -> unit == DateUnit.DAY ? "tdD" : "tdm";
      case TimeType(ArrowTimeUnit unit) -> "tt" + letter(unit);
      case TimestampType(ArrowTimeUnit unit, @Nullable String zone) ->
          "ts" + letter(unit) + ":" + (zone == null ? "" : zone);
      case DurationType(ArrowTimeUnit unit) -> "tD" + letter(unit);
      case IntervalType(IntervalUnit unit) ->
          switch (unit) {
            case YEAR_MONTH -> "tiM";
            case DAY_TIME -> "tiD";
            case MONTH_DAY_NANO -> "tin";
          };
      case ListType _ -> "+l";
      case LargeListType _ -> "+L";
      case ListViewType _ -> "+vl";
      case LargeListViewType _ -> "+vL";
      case FixedSizeListType list -> "+w:" + list.size();
      case StructType _ -> "+s";
      case MapType _ -> "+m";
      case UnionType union ->
          (union.mode() == UnionMode.DENSE ? "+ud:" : "+us:")
              + union.typeIds().stream().map(String::valueOf).collect(Collectors.joining(","));
      case RunEndEncodedType _ -> "+r";
      case DictionaryType dictionary -> write(dictionary.index());
    };
  }

  private static String integer(int bits, boolean signed) {
    String letter =
        switch (bits) {
          case 8 -> "c";
          case 16 -> "s";
          case 32 -> "i";
          default -> "l";
        };
    return signed ? letter : letter.toUpperCase(Locale.ROOT);
  }
}
