// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

/**
 * A database, a connection or a statement of a driver, with its options.
 *
 * <p>To be closed by whoever made it, in any order: what was opened from it, and results, are still usable, and the
 * driver's own object is released by the last of them. Closing twice does nothing; anything else on a closed handle
 * throws {@link IllegalStateException}. May be used from any thread: calls of one connection, its statements and their
 * results are taken in turn. Options are asked for at once, also while another call runs.
 *
 * <p>Options are the driver's: {@code adbc.h} and its documentation say which there are, and of which of the four
 * kinds. Drivers of 1.0.0 know strings only, and tell none.
 */
public sealed interface AdbcHandle extends AutoCloseable permits AdbcDatabase, AdbcConnection, AdbcStatement {
  /**
   * Sets an option.
   *
   * @throws AdbcException if the driver does not know it, with {@link AdbcStatus#NOT_IMPLEMENTED}, or refuses the
   *     value, which is in the message only if the driver puts it there
   */
  void setOption(String key, String value);

  /** Sets an option to a whole number; see {@link #setOption(String, String)}. */
  void setOption(String key, long value);

  /** Sets an option to a floating-point number; see {@link #setOption(String, String)}. */
  void setOption(String key, double value);

  /** Sets an option to bytes; see {@link #setOption(String, String)}. */
  void setOption(String key, byte[] value);

  /**
   * Sets an option to {@code "true"} or {@code "false"}, which is how {@code adbc.h} writes them; see
   * {@link #setOption(String, String)}.
   */
  default void setOption(String key, boolean value) {
    setOption(key, String.valueOf(value));
  }

  /**
   * The value of an option.
   *
   * @throws AdbcException if the driver does not know it, with {@link AdbcStatus#NOT_FOUND}; or tells no options, as
   *     those of 1.0.0, with {@link AdbcStatus#NOT_IMPLEMENTED}
   */
  String getOption(String key);

  /** The value of an option that is a whole number; see {@link #getOption}. */
  long getLongOption(String key);

  /** The value of an option that is a floating-point number; see {@link #getOption}. */
  double getDoubleOption(String key);

  /** The value of an option that is bytes; see {@link #getOption}. */
  byte[] getBytesOption(String key);

  /** The driver that it is of. */
  AdbcDriver driver();

  /**
   * Gives it back, at once, or when the call that is under way in another thread returns. A source that was bound to it
   * is closed behind that, by the thread that gives it back, however long that takes; others go on meanwhile. If that
   * thread is within the close of another source, then behind that one.
   */
  @Override
  void close();
}
