// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.io.Serializable;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.internal.SQLConf;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A session's SQL configuration, for operators in tasks of a job that is not an SQL query. Spark passes the
 * configuration on with queries only.
 */
final class SessionConf implements Serializable {
  private static final long serialVersionUID = 1;

  @SuppressWarnings("serial") // a copy, whose class is serializable
  private final Map<String, String> entries;

  private transient @Nullable SQLConf made;

  private SessionConf(Map<String, String> entries) {
    this.entries = entries;
  }

  static SessionConf of(SQLConf conf) {
    return new SessionConf(Map.copyOf(CollectionConverters.asJava(conf.getAllConfs())));
  }

  /** Pulls from Spark in a task, on any thread. */
  <T extends @Nullable Object> T with(TaskContext task, Supplier<T> pull) {
    TaskContext here = TaskContext.get();
    if (here != null && here.taskAttemptId() != task.taskAttemptId())
      throw new IllegalStateException(
          "columns of task " + task.taskAttemptId() + " are pulled in a thread of task " + here.taskAttemptId());
    if (here == null) return TaskContext.withTaskContext(task, () -> with(task, pull));
    if (task.getLocalProperty(SQLExecution.EXECUTION_ID_KEY()) != null) return pull.get();
    return SQLConf.withExistingConf(conf(), pull::get);
  }

  private SQLConf conf() {
    SQLConf known = made;
    if (known == null) {
      made = known = new SQLConf();
      for (Map.Entry<String, String> entry : entries.entrySet()) known.setConfString(entry.getKey(), entry.getValue());
    }
    return known;
  }
}
