// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.HashMap;
import java.util.Map;
import org.arbalest.device.statistics.StatisticKeys;
import org.jspecify.annotations.Nullable;

/** The statistics with a name in the specification, each with an exact and an approximate value. */
public enum Statistic {
  AVERAGE_BYTE_WIDTH(StatisticKeys.AVERAGE_BYTE_WIDTH_EXACT, StatisticKeys.AVERAGE_BYTE_WIDTH_APPROXIMATE, Kind.NUMBER,
      Kind.NUMBER),
  DISTINCT_COUNT(StatisticKeys.DISTINCT_COUNT_EXACT, StatisticKeys.DISTINCT_COUNT_APPROXIMATE, Kind.COUNT, Kind.NUMBER),
  MAX_BYTE_WIDTH(StatisticKeys.MAX_BYTE_WIDTH_EXACT, StatisticKeys.MAX_BYTE_WIDTH_APPROXIMATE, Kind.COUNT, Kind.NUMBER),
  MAX_VALUE(StatisticKeys.MAX_VALUE_EXACT, StatisticKeys.MAX_VALUE_APPROXIMATE, Kind.ANY, Kind.ANY),
  MIN_VALUE(StatisticKeys.MIN_VALUE_EXACT, StatisticKeys.MIN_VALUE_APPROXIMATE, Kind.ANY, Kind.ANY),
  NULL_COUNT(StatisticKeys.NULL_COUNT_EXACT, StatisticKeys.NULL_COUNT_APPROXIMATE, Kind.COUNT, Kind.NUMBER),
  ROW_COUNT(StatisticKeys.ROW_COUNT_EXACT, StatisticKeys.ROW_COUNT_APPROXIMATE, Kind.COUNT, Kind.NUMBER);

  /** The type of a statistic's value. */
  enum Kind {
    /** An int64 that is not negative. */
    COUNT,
    /** A float64 that is not negative. */
    NUMBER,
    /** The type of the column, or any other. */
    ANY
  }

  /** The prefix of the names that the specification reserves. */
  public static final String RESERVED = "ARROW:";

  private static final Map<String, Kind> KINDS = new HashMap<>();

  static {
    for (Statistic statistic : values()) {
      KINDS.put(statistic.exact, statistic.exactKind);
      KINDS.put(statistic.approximate, statistic.approximateKind);
    }
  }

  /** The key of the exact value. */
  public final String exact;

  /** The key of the approximate value. */
  public final String approximate;

  private final Kind exactKind;
  private final Kind approximateKind;

  Statistic(String exact, String approximate, Kind exactKind, Kind approximateKind) {
    this.exact = exact;
    this.approximate = approximate;
    this.exactKind = exactKind;
    this.approximateKind = approximateKind;
  }

  /** Returns whether the specification defines this key. */
  public static boolean isStandard(String key) {
    return KINDS.containsKey(key);
  }

  /** Returns the error in the value of a key, in words, or null if the value is correct. */
  public static @Nullable String complaint(String key, StatisticValue value) {
    return value.complaint(KINDS.getOrDefault(key, Kind.ANY));
  }
}
