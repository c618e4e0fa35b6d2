// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Statistics by target and key. */
public final class StatisticsTable {
  /** The target for the whole table, record batch or array. Every other target is the index of a column. */
  public static final int WHOLE = -1;

  private final SortedMap<Integer, Map<String, StatisticValue>> targets;

  public StatisticsTable() {
    this.targets = new TreeMap<>();
  }

  /** Creates a copy. */
  public StatisticsTable(StatisticsTable of) {
    this();
    of.targets.forEach((target, values) -> targets.put(target, new LinkedHashMap<>(values)));
  }

  /** Returns the values of a target, which the caller may fill. Adds the target if it does not exist. */
  public Map<String, StatisticValue> target(int target) {
    return targets.computeIfAbsent(target, _ -> new LinkedHashMap<>());
  }

  /** Returns all targets, the whole first. */
  public SortedMap<Integer, Map<String, StatisticValue>> targets() {
    return targets;
  }

  /** Returns the name of a target in messages. */
  public static String name(int target) {
    return target == WHOLE ? "the whole" : "column " + target;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StatisticsTable that && targets.equals(that.targets);
  }

  @Override
  public int hashCode() {
    return targets.hashCode();
  }
}
