// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

/** A task of Spark's that reads or makes columns, on an executor. */
public interface ColumnTask {
  /** Which of the partitions it is about, counted from 0. */
  int partition();

  /** How many times this partition was tried before. */
  int attempt();

  /** Spark's number of this attempt, which no other has. */
  long taskAttemptId();
}
