package org.arbalest.device.internal.async;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.arbalest.device.AsyncTask;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowAsyncTaskStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.HandleExport;
import org.arbalest.device.internal.lifetime.VarHandles;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.stream.Failures;

/** One task that a consumer holds: what it is to get, and the slot by which it comes back. */
public final class TaskExport {
  private static final VarHandle SPENT = VarHandles.ofField(MethodHandles.lookup(), "spent", boolean.class);

  private final AsyncExport export;

  /** A {@link DeviceArray} or an {@link AsyncTask}. */
  private final AutoCloseable data;

  private final long tag;

  @SuppressWarnings("UnusedVariable") // read through SPENT
  private boolean spent;

  /** On failure {@code data} is still the caller's. */
  TaskExport(AsyncExport export, AutoCloseable data) {
    this.export = export;
    this.data = data;
    this.tag = Slots.take(this);
    export.holders().retain(this);
  }

  /** Writes the struct that is announced. */
  void write(long task) {
    ArrowAsyncTaskStruct.setExtractData(task, AsyncCallbacks.TASK_EXTRACT_DATA);
    ArrowAsyncTaskStruct.setPrivateData(task, tag);
  }

  /** {@code extract_data}, on the consumer's thread; NULL is nobody wants it. A second call finds nothing (ASY-16). */
  public static int extractData(long task, long out) {
    if (out != 0) ArrowArrayStruct.setRelease(out, 0);
    TaskExport found = Slots.find(ArrowAsyncTaskStruct.privateData(task)) instanceof TaskExport t ? t : null;
    if (found == null || !found.spend()) return Errno.EINVAL;
    try {
      return found.extract(out);
    } finally {
      found.export.holders().leave(found);
    }
  }

  private int extract(long out) {
    if (out == 0) {
      close(data);
      return 0;
    }
    try (DeviceArray array = data instanceof AsyncTask task ? task.extract() : (DeviceArray) data) {
      export.check(array);
      HandleExport.export(DeviceArrayImpl.unwrap(array), out, true);
      return 0;
    } catch (Throwable t) {
      export.extractFailed(t);
      return Failures.errno(t);
    }
  }

  /** Closes what the consumer refused, or dropped. */
  void discard() {
    if (!spend()) return; // it extracted the task all the same
    close(data);
    export.holders().leave(this);
  }

  private boolean spend() {
    if (!SPENT.compareAndSet(this, false, true)) return false;
    Slots.leave(tag);
    return true;
  }

  /** Closes an item that nobody wants. */
  static void close(AutoCloseable data) {
    try {
      data.close();
    } catch (Exception e) {
      Faults.report("closing a task that nobody wants", e);
    }
  }
}
