// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Schema;
import org.arbalest.spark.ColumnFunction;
import org.arbalest.spark.internal.task.SparkTask;
import org.jspecify.annotations.Nullable;

/** A function of the user's, on the columns of a task. */
final class TaskColumns {
  private TaskColumns() {}

  /** What it makes of them; they are closed at the end of the task at the latest, as what it makes may read them until then. */
  static <T extends @Nullable Object> Iterator<T> apply(ColumnFunction<T> function, Schema schema, DeviceArrayReader.Source source) throws Exception {
    TaskContext context = TaskContext.get();
    SparkTask task = SparkTask.of(context);
    DeviceArrayReader reader = DeviceArrayReader.of(schema, source);
    context.addTaskCompletionListener((TaskCompletionListener) _ -> reader.close());
    return Collections.singletonList(function.apply(task, reader)).iterator();
  }
}
