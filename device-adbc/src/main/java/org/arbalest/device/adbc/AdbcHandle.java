// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

/**
 * A handle to a database, a connection or a statement of a driver, with its options.
 *
 * <p><b>Ownership.</b> The caller that creates a handle closes it. Handles may be closed in any order: objects that
 * were opened from a closed handle, and results, stay usable, and the last of them releases the driver's own object.
 * Closing twice has no effect. All other calls on a closed handle throw {@link IllegalStateException}.
 *
 * <p><b>Threads.</b> Any thread may use a handle. Calls of one connection, its statements and their results run one at
 * a time, and so do calls of one database, such as {@code connect}. Reading an option is such a call, since some
 * drivers query for it: it waits for a running query, and throws {@link IllegalStateException} in a source that
 * supplies batches to the same connection. Only options of a statement, such as its progress, are read immediately,
 * during any call. A shared connection has one transaction, and with PostgreSQL's driver one open result: use a
 * connection for each thread.
 *
 * <p><b>Options.</b> The driver defines the options: {@code adbc.h} and the driver's documentation list them and their
 * types, one of four. Drivers of ADBC 1.0.0 have only string options, and cannot return any.
 */
public sealed interface AdbcHandle extends AutoCloseable permits AdbcDatabase, AdbcConnection, AdbcStatement {
  /**
   * Sets an option.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does not know the option, or if it
   *     rejects the value; the message contains the value only if the driver includes it
   */
  void setOption(String key, String value);

  /** Sets an option to a whole number; see {@link #setOption(String, String)}. */
  void setOption(String key, long value);

  /** Sets an option to a floating-point number; see {@link #setOption(String, String)}. */
  void setOption(String key, double value);

  /** Sets an option to bytes; see {@link #setOption(String, String)}. */
  void setOption(String key, byte[] value);

  /**
   * Sets an option to {@code "true"} or {@code "false"}, the boolean values of {@code adbc.h}; see {@link
   * #setOption(String, String)}.
   */
  default void setOption(String key, boolean value) {
    setOption(key, String.valueOf(value));
  }

  /**
   * Returns the value of an option.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_FOUND} if the driver does not know the option, or with {@link
   *     AdbcStatus#NOT_IMPLEMENTED} if the driver returns no options, as drivers of ADBC 1.0.0
   */
  String getOption(String key);

  /** Returns the value of an option that is a whole number; see {@link #getOption}. */
  long getLongOption(String key);

  /** Returns the value of an option that is a floating-point number; see {@link #getOption}. */
  double getDoubleOption(String key);

  /** Returns the value of an option that is bytes; see {@link #getOption}. */
  byte[] getBytesOption(String key);

  /** Returns the driver of this handle. */
  AdbcDriver driver();

  /**
   * Releases the handle, immediately or when the current call in another thread returns.
   *
   * <p>The thread that releases the handle then closes a source that was bound to it, for any length of time; other
   * threads continue meanwhile. If that thread is inside the close of another source, it closes this source after that
   * one.
   *
   * @throws AdbcException if this call releases the driver's object, and the driver reports an error; the object is not
   *     released again. If another thread's call releases it, the error is logged
   */
  @Override
  void close();
}
