package org.arbalest.device.internal.schema;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.arbalest.device.DataType;
import org.arbalest.device.DataType.BinaryType;
import org.arbalest.device.DataType.BinaryViewType;
import org.arbalest.device.DataType.BoolType;
import org.arbalest.device.DataType.DateType;
import org.arbalest.device.DataType.DateUnit;
import org.arbalest.device.DataType.DecimalType;
import org.arbalest.device.DataType.DictionaryType;
import org.arbalest.device.DataType.DurationType;
import org.arbalest.device.DataType.FixedSizeBinaryType;
import org.arbalest.device.DataType.FixedSizeListType;
import org.arbalest.device.DataType.FloatType;
import org.arbalest.device.DataType.IntType;
import org.arbalest.device.DataType.IntervalType;
import org.arbalest.device.DataType.IntervalUnit;
import org.arbalest.device.DataType.LargeBinaryType;
import org.arbalest.device.DataType.LargeListType;
import org.arbalest.device.DataType.LargeListViewType;
import org.arbalest.device.DataType.LargeUtf8Type;
import org.arbalest.device.DataType.ListType;
import org.arbalest.device.DataType.ListViewType;
import org.arbalest.device.DataType.MapType;
import org.arbalest.device.DataType.NullType;
import org.arbalest.device.DataType.RunEndEncodedType;
import org.arbalest.device.DataType.StructType;
import org.arbalest.device.DataType.TimeType;
import org.arbalest.device.DataType.TimestampType;
import org.arbalest.device.DataType.UnionMode;
import org.arbalest.device.DataType.UnionType;
import org.arbalest.device.DataType.Utf8Type;
import org.arbalest.device.DataType.Utf8ViewType;
import org.arbalest.device.DataTypes;
import org.arbalest.device.Field;
import org.arbalest.device.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The format strings of the C data interface, both ways (SCH-20). */
public final class Format {
  private Format() {}

  /** Reads a format, with the fields of the children and the flag of a map; throws an IllegalArgumentException that quotes it (SCH-01). */
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
    if (!children.isEmpty()) throw new IllegalArgumentException("has no children, but " + children.size() + " were given");
    return switch (format) {
      case "n" -> new NullType();
      case "b" -> DataTypes.BOOL;
      case "c" -> DataTypes.INT8;
      case "C" -> DataTypes.UINT8;
      case "s" -> DataTypes.INT16;
      case "S" -> DataTypes.UINT16;
      case "i" -> DataTypes.INT32;
      case "I" -> DataTypes.UINT32;
      case "l" -> DataTypes.INT64;
      case "L" -> DataTypes.UINT64;
      case "e" -> DataTypes.FLOAT16;
      case "f" -> DataTypes.FLOAT32;
      case "g" -> DataTypes.FLOAT64;
      case "z" -> new BinaryType();
      case "Z" -> new LargeBinaryType();
      case "vz" -> new BinaryViewType();
      case "u" -> DataTypes.UTF8;
      case "U" -> new LargeUtf8Type();
      case "vu" -> new Utf8ViewType();
      case "tdD" -> new DateType(DateUnit.DAY);
      case "tdm" -> new DateType(DateUnit.MILLISECOND);
      case "tiM" -> new IntervalType(IntervalUnit.YEAR_MONTH);
      case "tiD" -> new IntervalType(IntervalUnit.DAY_TIME);
      case "tin" -> new IntervalType(IntervalUnit.MONTH_DAY_NANO);
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

  /** A decimal number without a sign; {@code parseInt} would also take a plus and other scripts' digits. */
  private static int number(String text) {
    if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) throw new NumberFormatException(text);
    return Integer.parseInt(text);
  }

  private static int signed(String text) {
    return text.startsWith("-") ? -number(text.substring(1)) : number(text);
  }

  /** The letter that stands for a unit. */
  static char letter(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 's';
      case MILLISECOND -> 'm';
      case MICROSECOND -> 'u';
      case NANOSECOND -> 'n';
    };
  }

  private static TimeUnit unit(String format) {
    return switch (format.charAt(2)) {
      case 's' -> TimeUnit.SECOND;
      case 'm' -> TimeUnit.MILLISECOND;
      case 'u' -> TimeUnit.MICROSECOND;
      case 'n' -> TimeUnit.NANOSECOND;
      default -> throw new IllegalArgumentException("unknown");
    };
  }

  private static Field only(List<Field> children) {
    expect(1, children);
    return children.getFirst();
  }

  /** The entries of a map, whose keys some peers call nullable, older DuckDB and Velox among them (SCH-14). */
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
      case DecimalType(int bits, int precision, int scale) -> "d:" + precision + "," + scale + (bits == 128 ? "" : "," + bits);
      case Utf8Type _ -> "u";
      case LargeUtf8Type _ -> "U";
      case Utf8ViewType _ -> "vu";
      case BinaryType _ -> "z";
      case LargeBinaryType _ -> "Z";
      case BinaryViewType _ -> "vz";
      case FixedSizeBinaryType(int width) -> "w:" + width;
      case DateType(DateUnit unit) -> unit == DateUnit.DAY ? "tdD" : "tdm";
      case TimeType(TimeUnit unit) -> "tt" + letter(unit);
      case TimestampType(TimeUnit unit, @Nullable String zone) -> "ts" + letter(unit) + ":" + (zone == null ? "" : zone);
      case DurationType(TimeUnit unit) -> "tD" + letter(unit);
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
