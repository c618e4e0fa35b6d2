// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An option that a driver supports; see {@link AdbcDriver#options}.
 *
 * @param name the option's name
 * @param levels the handles that have the option
 * @param types the types of its value
 * @param values the permitted values; empty if they are not listed
 * @param defaultValue the value without a call; null if there is no default
 * @param isRequired whether a value must be set
 * @param canSetBefore whether it can be set before the handle is initialized
 * @param canSetAfter whether it can be set later
 * @param documentation a description for people, or null
 */
@Experimental
public record AdbcOption(String name, Set<Level> levels, Set<Type> types, List<Value> values,
    @Nullable String defaultValue, boolean isRequired, boolean canSetBefore, boolean canSetAfter,
    @Nullable String documentation) {
  /** Copies the collections. */
  public AdbcOption {
    levels = Set.copyOf(levels);
    types = Set.copyOf(types);
    values = List.copyOf(values);
  }

  /** A kind of handle that has options. */
  public enum Level {
    /** {@link AdbcDatabase}. */
    DATABASE,
    /** {@link AdbcConnection}. */
    CONNECTION,
    /** {@link AdbcStatement}. */
    STATEMENT
  }

  /** A type of an option's value. */
  public enum Type {
    /** {@link AdbcHandle#setOption(String, String)}. */
    STRING,
    /** {@link AdbcHandle#setOption(String, byte[])}. */
    BYTES,
    /** {@link AdbcHandle#setOption(String, double)}. */
    DOUBLE,
    /** {@link AdbcHandle#setOption(String, long)}. */
    INT
  }

  /**
   * A permitted value.
   *
   * @param value the value
   * @param documentation a description for people, or null
   */
  public record Value(String value, @Nullable String documentation) {}
}
