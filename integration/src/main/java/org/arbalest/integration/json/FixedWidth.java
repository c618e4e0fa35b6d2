// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.foreign.ValueLayout.OfInt;
import java.lang.foreign.ValueLayout.OfLong;
import java.lang.foreign.ValueLayout.OfShort;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;

/** Reads and writes values of a fixed number of bytes. */
final class FixedWidth {
  static final HexFormat HEX = HexFormat.of().withUpperCase();

  private static final OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private FixedWidth() {}

  /** Returns the bytes of a value, or −1 for a type whose values have no fixed number of whole bytes. */
  static int bytes(DataType type) {
    return switch (type) {
      case IntType ints -> ints.bits() / 8;
      case FloatType floats -> floats.bits() / 8;
      case DecimalType decimal -> decimal.bits() / 8;
      case FixedSizeBinaryType binary -> binary.width();
      case DateType date -> date.unit() == DateUnit.DAY ? 4 : 8;
      case TimeType time -> switch (time.unit()) {
        case SECOND, MILLISECOND -> 4;
        case MICROSECOND, NANOSECOND -> 8;
      };
      case TimestampType _, DurationType _ -> 8;
      case IntervalType interval -> switch (interval.unit()) {
        case YEAR_MONTH -> 4;
        case DAY_TIME -> 8;
        case MONTH_DAY_NANO -> 16;
      };
      default -> -1;
    };
  }

  /** Reads a value into memory. */
  static void read(DataType type, Json json, MemorySegment to) {
    switch (type) {
      case FloatType(int bits) -> putFloat(bits, json, to);
      case DecimalType(int bits, int _, int _) -> putBig(number(json), bits, true, json, to);
      case IntType(int bits, boolean isSigned) when bits == 64 && !isSigned ->
          putBig(number(json), bits, false, json, to);
      case IntType(int bits, boolean isSigned) -> putLong(bits / 8, bounded(json, bits, isSigned), to);
      case FixedSizeBinaryType(int width) -> to.copyFrom(MemorySegment.ofArray(hex(json, width)));
      case IntervalType interval -> putInterval(interval, json, to);
      default -> putLong(bytes(type), bounded(json, 8 * bytes(type), true), to);
    }
  }

  /** Writes a value in memory as JSON. */
  static JsonNode write(DataType type, MemorySegment from) {
    return switch (type) {
      case FloatType(int bits) -> floatNode(bits, from);
      case DecimalType _ -> NODES.textNode(big(from).toString());
      case IntType(int bits, boolean isSigned) when bits == 64 ->
          NODES.textNode(isSigned ? Long.toString(getLong(from)) : Long.toUnsignedString(getLong(from)));
      case IntType(int bits, boolean isSigned) ->
          NODES.numberNode(isSigned ? getLong(from) : getLong(from) & ((1L << bits) - 1));
      case FixedSizeBinaryType _ -> NODES.textNode(HEX.formatHex(from.toArray(ValueLayout.JAVA_BYTE)));
      case IntervalType interval -> intervalNode(interval, from);
      default -> bytes(type) == 8 ? NODES.textNode(Long.toString(getLong(from))) : NODES.numberNode(getLong(from));
    };
  }

  /** Reads an integer of 1 to 8 bytes, with its sign. */
  static long getLong(MemorySegment from) {
    return switch ((int) from.byteSize()) {
      case 1 -> from.get(ValueLayout.JAVA_BYTE, 0);
      case 2 -> from.get(SHORT, 0);
      case 4 -> from.get(INT, 0);
      default -> from.get(LONG, 0);
    };
  }

  /** Writes the low bytes of an integer. */
  static void putLong(int bytes, long value, MemorySegment to) {
    switch (bytes) {
      case 1 -> to.set(ValueLayout.JAVA_BYTE, 0, (byte) value);
      case 2 -> to.set(SHORT, 0, (short) value);
      case 4 -> to.set(INT, 0, (int) value);
      default -> to.set(LONG, 0, value);
    }
  }

  /** Reads the bytes of a hexadecimal text. */
  static byte[] hex(Json json) {
    try {
      return HEX.parseHex(json.text());
    } catch (IllegalArgumentException e) {
      throw json.fault("hexadecimal digits in pairs are expected, not \"" + json.text() + "\"");
    }
  }

  static byte[] hex(Json json, int bytes) {
    byte[] value = hex(json);
    if (value.length != bytes) throw json.fault("it has " + value.length + " bytes instead of " + bytes);
    return value;
  }

  private static long bounded(Json json, int bits, boolean isSigned) {
    if (bits == 64) return json.integer();
    return isSigned ? json.integer(-1L << (bits - 1), (1L << (bits - 1)) - 1) : json.integer(0, (1L << bits) - 1);
  }

  private static BigInteger number(Json json) {
    try {
      return json.node().isIntegralNumber() ? json.node().bigIntegerValue() : new BigInteger(json.text());
    } catch (NumberFormatException e) {
      throw json.fault("an integer is expected, not \"" + json.text() + "\"");
    }
  }

  private static void putBig(BigInteger value, int bits, boolean isSigned, Json json, MemorySegment to) {
    if (isSigned ? value.bitLength() >= bits : value.signum() < 0 || value.bitLength() > bits) {
      throw json.fault(value + " does not fit in " + bits + (isSigned ? " bits with a sign" : " bits without a sign"));
    }
    byte[] bigEndian = value.toByteArray();
    byte[] littleEndian = new byte[bits / 8];
    Arrays.fill(littleEndian, (byte) (value.signum() < 0 ? -1 : 0));
    for (int i = 0; i < Math.min(bigEndian.length, littleEndian.length); i++) {
      littleEndian[i] = bigEndian[bigEndian.length - 1 - i];
    }
    to.copyFrom(MemorySegment.ofArray(littleEndian));
  }

  private static BigInteger big(MemorySegment from) {
    byte[] littleEndian = from.toArray(ValueLayout.JAVA_BYTE);
    byte[] bigEndian = new byte[littleEndian.length];
    for (int i = 0; i < bigEndian.length; i++) bigEndian[i] = littleEndian[bigEndian.length - 1 - i];
    return new BigInteger(bigEndian);
  }

  private static void putFloat(int bits, Json json, MemorySegment to) {
    String text = json.node().isNumber() ? json.node().asText() : json.text();
    try {
      switch (bits) {
        case 16 -> to.set(SHORT, 0, Float.floatToFloat16(Float.parseFloat(text)));
        case 32 -> to.set(INT, 0, Float.floatToRawIntBits(Float.parseFloat(text)));
        default -> to.set(LONG, 0, Double.doubleToRawLongBits(Double.parseDouble(text)));
      }
    } catch (NumberFormatException e) {
      throw json.fault("a number is expected, not \"" + text + "\"");
    }
  }

  /** Returns a number, or the text NaN, Infinity or -Infinity, which JSON has no numbers for. */
  private static JsonNode floatNode(int bits, MemorySegment from) {
    if (bits == 64) {
      double value = Double.longBitsToDouble(from.get(LONG, 0));
      return Double.isFinite(value) ? NODES.numberNode(value) : NODES.textNode(Double.toString(value));
    }
    float value = bits == 16 ? Float.float16ToFloat(from.get(SHORT, 0)) : Float.intBitsToFloat(from.get(INT, 0));
    return Float.isFinite(value) ? NODES.numberNode(value) : NODES.textNode(Float.toString(value));
  }

  private static void putInterval(IntervalType type, Json json, MemorySegment to) {
    switch (type.unit()) {
      case YEAR_MONTH -> to.set(INT, 0, (int) bounded(json, 32, true));
      case DAY_TIME -> {
        json.allow(List.of("days", "milliseconds"));
        to.set(INT, 0, (int) bounded(json.member("days"), 32, true));
        to.set(INT, 4, (int) bounded(json.member("milliseconds"), 32, true));
      }
      case MONTH_DAY_NANO -> {
        json.allow(List.of("months", "days", "nanoseconds"));
        to.set(INT, 0, (int) bounded(json.member("months"), 32, true));
        to.set(INT, 4, (int) bounded(json.member("days"), 32, true));
        to.set(LONG, 8, json.member("nanoseconds").integer());
      }
    }
  }

  private static JsonNode intervalNode(IntervalType type, MemorySegment from) {
    ObjectNode json = NODES.objectNode();
    return switch (type.unit()) {
      case YEAR_MONTH -> NODES.numberNode(from.get(INT, 0));
      case DAY_TIME -> json.put("days", from.get(INT, 0)).put("milliseconds", from.get(INT, 4));
      case MONTH_DAY_NANO ->
          json.put("months", from.get(INT, 0)).put("days", from.get(INT, 4)).put("nanoseconds", from.get(LONG, 8));
    };
  }
}
