// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.VarHandles;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * The common part of tasks from native producers and of the library's own tasks. Each task is extracted or closed once.
 * See {@link AsyncTask}.
 */
public abstract sealed class AsyncTaskImpl implements AsyncTask permits ImportedTask, LocalTask {
  private static final VarHandle CONSUMED = VarHandles.ofField(MethodHandles.lookup(), "consumed", boolean.class);

  private final Metadata metadata;
  private final Leaks.@Nullable Watch watch;

  @SuppressWarnings("UnusedVariable") // read through CONSUMED
  private boolean consumed;

  AsyncTaskImpl(Metadata metadata) {
    this.metadata = metadata;
    this.watch = Leaks.isDue() ? Leaks.watch(this, "AsyncTask") : null;
    if (watch != null) watch.opened();
    Counts.TASKS.increment();
  }

  /** Creates a task of an array, and takes over the array in every case. */
  public static AsyncTask of(RecordBatch array, Metadata metadata) {
    RecordBatch taken = array.move(); // first, so that the array is taken in every case
    try {
      return new LocalTask(taken, Objects.requireNonNull(metadata, "metadata"));
    } catch (Throwable t) {
      taken.close();
      throw t;
    }
  }

  @Override
  public final Metadata metadata() {
    return metadata;
  }

  @Override
  public final boolean isOpen() {
    return !(boolean) CONSUMED.getVolatile(this);
  }

  @Override
  public abstract void close();

  /** Takes the task. A caller that gets true must extract or discard it. */
  final boolean consume() {
    if (!CONSUMED.compareAndSet(this, false, true)) return false;
    if (watch != null) watch.closed(this);
    Counts.TASKS.decrement();
    return true;
  }

  static IllegalStateException alreadyConsumed() {
    return new IllegalStateException("the task was extracted or closed; it can be extracted once");
  }
}
