// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Schema;
import org.arbalest.spark.ColumnFunction;
import org.arbalest.spark.internal.task.SparkTask;

/** A function of the user's, on the columns of a task. */
final class TaskColumns {
  private TaskColumns() {}

  /** What it makes of them; they are closed at the end of the task at the latest, as what it makes may read them until then. */
  static <T> Iterator<T> apply(ColumnFunction<T> function, Schema schema, DeviceArrayReader.Source source) throws Exception {
    TaskContext context = TaskContext.get();
    DeviceArrayReader reader = DeviceArrayReader.of(schema, source);
    context.addTaskCompletionListener((TaskCompletionListener) _ -> reader.close());
    return List.of(function.apply(new SparkTask(context), reader)).iterator();
  }
}
