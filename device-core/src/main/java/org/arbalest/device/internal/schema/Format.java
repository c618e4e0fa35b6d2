// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
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

  /**
   * Parses a format. Each case returns a type of its own. The constants of {@link DataType} would load the classes of
   * all flat types, and so would the verification of a switch with several types as its value.
   */
  @SuppressWarnings("StatementSwitchToExpressionSwitch")
  private static DataType parse(String format, List<Field> children, boolean keysSorted) {
    if (format.startsWith("+")) return nested(format, children, keysSorted);
    if (!children.isEmpty())
      throw new IllegalArgumentException("has no children, but " + children.size() + " were given");
    switch (format) {
      case "n":
        return new NullType();
      case "b":
        return new BoolType();
      case "c":
        return new IntType(8, true);
      case "C":
        return new IntType(8, false);
      case "s":
        return new IntType(16, true);
      case "S":
        return new IntType(16, false);
      case "i":
        return new IntType(32, true);
      case "I":
        return new IntType(32, false);
      case "l":
        return new IntType(64, true);
      case "L":
        return new IntType(64, false);
      case "e":
        return new FloatType(16);
      case "f":
        return new FloatType(32);
      case "g":
        return new FloatType(64);
      case "z":
        return new BinaryType();
      case "Z":
        return new LargeBinaryType();
      case "vz":
        return new BinaryViewType();
      case "u":
        return new Utf8Type();
      case "U":
        return new LargeUtf8Type();
      case "vu":
        return new Utf8ViewType();
      case "tdD":
        return new DateType(DateUnit.DAY);
      case "tdm":
        return new DateType(DateUnit.MILLISECOND);
      case "tiM":
        return new IntervalType(IntervalUnit.YEAR_MONTH);
      case "tiD":
        return new IntervalType(IntervalUnit.DAY_TIME);
      case "tin":
        return new IntervalType(IntervalUnit.MONTH_DAY_NANO);
      default:
        return parameterised(format);
    }
  }

  private static DataType parameterised(String format) {
    if (format.startsWith("w:")) return new FixedSizeBinaryType(number(format.substring(2)));
    if (format.startsWith("d:")) return decimal(format.substring(2).split(",", -1));
    if (format.startsWith("tt") && format.length() == 3) return new TimeType(unit(format));
    if (format.startsWith("tD") && format.length() == 3) return new DurationType(unit(format));
    if (format.startsWith("ts") && format.charAt(3) == ':') return new TimestampType(unit(format), format.substring(4));
    throw new IllegalArgumentException("unknown");
  }

  @SuppressWarnings("StatementSwitchToExpressionSwitch") // as above
  private static DataType nested(String format, List<Field> children, boolean keysSorted) {
    switch (format) {
      case "+s":
        return new StructType(children);
      case "+l":
        return new ListType(only(children));
      case "+L":
        return new LargeListType(only(children));
      case "+vl":
        return new ListViewType(only(children));
      case "+vL":
        return new LargeListViewType(only(children));
      case "+m":
        return new MapType(withRequiredKeys(only(children)), keysSorted);
      case "+r":
        expect(2, children);
        return new RunEndEncodedType(children.get(0).withNullable(false), children.get(1));
      default:
        if (format.startsWith("+w:")) return new FixedSizeListType(only(children), number(format.substring(3)));
        if (format.startsWith("+ud:")) return new UnionType(UnionMode.DENSE, typeIds(format), children);
        if (format.startsWith("+us:")) return new UnionType(UnionMode.SPARSE, typeIds(format), children);
        throw new IllegalArgumentException("unknown");
    }
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

  /** Returns the format string of a type. Tests the types one by one, like {@link Layout}. */
  public static String write(DataType type) {
    if (type instanceof FlatType flat) return write(flat);
    if (type instanceof StructType) return "+s";
    if (type instanceof ListType) return "+l";
    if (type instanceof LargeListType) return "+L";
    if (type instanceof DictionaryType dictionary) return write(dictionary.index());
    if (type instanceof MapType) return "+m";
    if (type instanceof FixedSizeListType list) return "+w:" + list.size();
    if (type instanceof ListViewType) return "+vl";
    if (type instanceof LargeListViewType) return "+vL";
    if (type instanceof RunEndEncodedType) return "+r";
    if (type instanceof UnionType union) {
      return (union.mode() == UnionMode.DENSE ? "+ud:" : "+us:")
          + union.typeIds().stream().map(String::valueOf).collect(Collectors.joining(","));
    }
    throw new AssertionError(type);
  }

  private static String write(FlatType type) {
    if (type instanceof IntType integer) return integer(integer.bits(), integer.signed());
    if (type instanceof FloatType number) return number.bits() == 16 ? "e" : number.bits() == 32 ? "f" : "g";
    if (type instanceof Utf8Type) return "u";
    if (type instanceof BoolType) return "b";
    if (type instanceof TimestampType time)
      return "ts" + letter(time.unit()) + ":" + (time.timezone() == null ? "" : time.timezone());
    if (type instanceof DateType date) return date.unit() == DateUnit.DAY ? "tdD" : "tdm";
    if (type instanceof DecimalType decimal)
      return "d:" + decimal.precision() + "," + decimal.scale() + (decimal.bits() == 128 ? "" : "," + decimal.bits());
    if (type instanceof LargeUtf8Type) return "U";
    if (type instanceof Utf8ViewType) return "vu";
    if (type instanceof BinaryType) return "z";
    if (type instanceof LargeBinaryType) return "Z";
    if (type instanceof BinaryViewType) return "vz";
    if (type instanceof FixedSizeBinaryType binary) return "w:" + binary.width();
    if (type instanceof TimeType time) return "tt" + letter(time.unit());
    if (type instanceof DurationType duration) return "tD" + letter(duration.unit());
    if (type instanceof NullType) return "n";
    if (type instanceof IntervalType interval) {
      return switch (interval.unit()) {
        case YEAR_MONTH -> "tiM";
        case DAY_TIME -> "tiD";
        case MONTH_DAY_NANO -> "tin";
      };
    }
    throw new AssertionError(type);
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
