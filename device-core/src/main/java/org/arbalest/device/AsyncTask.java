package org.arbalest.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A batch that was announced: its array is made, or handed over, by {@link #extract} on the thread that calls it.
 *
 * <p>Whoever has the task extracts it or closes it, once; closing a task that was extracted does nothing. May be used from any thread, also
 * after its stream has ended (ASY-16).
 */
public abstract sealed class AsyncTask implements AutoCloseable permits ImportedTask, LocalTask {
  private static final VarHandle SPENT;

  static {
    try {
      SPENT = MethodHandles.lookup().findVarHandle(AsyncTask.class, "spent", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Metadata metadata;
  private final Leaks.@Nullable Watch watch;

  @SuppressWarnings("UnusedVariable") // read through SPENT
  private boolean spent;

  AsyncTask(Metadata metadata) {
    this.metadata = metadata;
    this.watch = Leaks.ENABLED ? Leaks.watch(this) : null;
    if (watch != null) watch.opened();
    Ledger.TASKS.increment();
  }

  /**
   * A task to be given to a producer here: an array, and what is to be said about it.
   *
   * @param array passes to the task
   * @param metadata goes to the consumer's {@code on_next_task}
   */
  public static AsyncTask of(DeviceArray array, Metadata metadata) {
    Objects.requireNonNull(metadata, "metadata");
    return new LocalTask(array.move(), metadata);
  }

  /** What the producer says about this batch; may be empty (ASY-27). */
  public final Metadata metadata() {
    return metadata;
  }

  /** Whether the task was neither extracted nor closed. */
  public final boolean isOpen() {
    return !(boolean) SPENT.getVolatile(this);
  }

  /**
   * The array, which passes to the caller; may take as long as the producer needs to make it. The task is spent, also on failure, unless
   * memory ran out before the producer was asked.
   *
   * @throws DeviceException with the producer's errno if it could not make the array, {@code EINVAL} if the array is malformed or is not of the
   *     stream's type
   * @throws IllegalStateException if the task was extracted or closed
   */
  public abstract DeviceArray extract();

  /**
   * This task as a new handle, to be extracted or closed by the caller; this one is spent.
   *
   * @throws IllegalStateException if the task was extracted or closed
   */
  public abstract AsyncTask move();

  /** Tells the producer that nobody wants the array. */
  @Override
  public abstract void close();

  /** Takes the task; whoever gets true must extract or discard it. */
  final boolean spend() {
    if (!SPENT.compareAndSet(this, false, true)) return false;
    if (watch != null) watch.closed();
    Ledger.TASKS.decrement();
    return true;
  }

  static IllegalStateException alreadySpent() {
    return new IllegalStateException("the task was extracted or closed; it can be extracted once");
  }
}
