// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is known of what: values by key, of each target. */
public final class StatisticsTable {
  /** The target that is the whole table, record batch or array; the others are columns by their index. */
  public static final int WHOLE = -1;

  private final SortedMap<Integer, Map<String, StatisticValue>> targets;

  public StatisticsTable() {
    this.targets = new TreeMap<>();
  }

  /** A copy. */
  public StatisticsTable(StatisticsTable of) {
    this();
    of.targets.forEach((target, values) -> targets.put(target, new LinkedHashMap<>(values)));
  }

  /** The values of a target, to be filled; a target that was not there is there then. */
  public Map<String, StatisticValue> target(int target) {
    return targets.computeIfAbsent(target, _ -> new LinkedHashMap<>());
  }

  /** All targets, the whole first. */
  public SortedMap<Integer, Map<String, StatisticValue>> targets() {
    return targets;
  }

  /** How a target is called in messages. */
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
