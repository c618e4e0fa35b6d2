// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.internal.MultiResultSetImpl;
import org.jspecify.annotations.Nullable;

/**
 * The results of one execution of several queries; see {@link AdbcStatement#executeMulti}.
 *
 * <p><b>Ownership.</b> The caller closes it, and each reader. It may outlive its statement. A later change of the
 * statement ends it, as it ends a single result.
 *
 * <p><b>Threads.</b> Any thread may use it; its calls take the connection lock.
 */
@Experimental
@CheckReturnValue
public sealed interface AdbcMultiResultSet extends AutoCloseable permits MultiResultSetImpl {
  /**
   * Returns the next result, and ends the previous one: its reader then throws. A result without rows may be that of a
   * change.
   *
   * @return the result, which the caller closes; null after the last
   * @throws AdbcException if the execution fails; with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver has this result
   *     only as {@linkplain #nextPartitions partitions}
   * @throws IllegalStateException if this is closed, or a change of the statement has ended it
   */
  @Nullable
  RecordBatchReader next();

  /**
   * Returns the next result as partitions, and ends the previous one; see {@link AdbcStatement#executePartitions}.
   *
   * @return the partitions; null after the last result
   * @throws AdbcException as for {@link #next}; with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver has this result
   *     only as a stream
   * @throws IllegalStateException as for {@link #next}
   */
  @Nullable
  AdbcPartitions nextPartitions();

  /** Returns the number of rows that the current result affected, or -1 if the driver does not know it. */
  long affectedRows();

  /** Ends the current result, and the execution. Closing twice has no effect. */
  @Override
  void close();
}
