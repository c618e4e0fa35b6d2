// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.arbalest.device.Errno;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowAsyncTask;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.HandleExport;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.lifetime.VarHandles;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.stream.Failures;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * One task of a stream that the library produces: its data for the consumer, and after its announcement the slot
 * through which the consumer extracts it.
 */
public final class TaskExport {
  private static final VarHandle HANDLE = VarHandles.ofField(MethodHandles.lookup(), "handle", long.class);

  private final AsyncExport export;

  /**
   * An {@link AsyncTask}, or a consumed {@link RecordBatch}, which then only describes the relevant part of its memory.
   */
  private final AutoCloseable data;

  /** The array's reference to its memory; null for a task. */
  private final @Nullable Ownership owner;

  /**
   * The handle that the consumer has. It is 0 before the announcement, and from the extraction or the discarding on.
   * Use HANDLE to access it.
   */
  @SuppressWarnings("UnusedVariable") // read and written through HANDLE
  private long handle;

  /**
   * Takes over the content of an array's handle, and throws if the handle is empty. A task belongs to this object from
   * now on.
   */
  TaskExport(AsyncExport export, AutoCloseable data) {
    this.export = export;
    this.data = data;
    this.owner = data instanceof RecordBatch array ? DeviceArrayImpl.unwrap(array).consume() : null;
  }

  /** Returns the task's metadata. Throws if the data is an array that does not fit the stream's schema. */
  Metadata checkedMetadata() {
    if (owner == null) return ((AsyncTask) data).metadata();
    export.check().checkConsumed((RecordBatch) data, owner);
    return Metadata.empty();
  }

  /** Writes the announced struct. If this throws, the task is not announced. */
  void announce(long task) {
    long taken = Slots.take(this);
    HANDLE.setVolatile(this, taken);
    export.holders().retain(this);
    RawArrowAsyncTask.setExtractData(task, AsyncCallbacks.TASK_EXTRACT_DATA);
    RawArrowAsyncTask.setPrivateData(task, taken);
  }

  /**
   * Implements {@code extract_data}, on the consumer's thread. A NULL target discards the task. A second call finds no
   * task (ASY-16).
   */
  public static int extractData(long task, long out) {
    if (out != 0) RawArrowArray.setRelease(out, 0);
    long announced = RawArrowAsyncTask.privateData(task);
    TaskExport found = Slots.find(announced) instanceof TaskExport t ? t : null;
    if (found == null || !found.consume(announced)) return Errno.EINVAL;
    try {
      return found.extract(out);
    } finally {
      found.export.holders().leave(found);
    }
  }

  private int extract(long out) {
    if (out == 0) {
      drop();
      return 0;
    }
    try {
      if (owner != null) {
        HandleExport.exportConsumed(DeviceArrayImpl.unwrap((RecordBatch) data), owner, out);
      } else {
        exportTask(((AsyncTask) data).extract(), out);
      }
      return 0;
    } catch (Throwable t) {
      export.extractFailed(t);
      return Failures.errno(t);
    }
  }

  private void exportTask(RecordBatch extracted, long out) {
    try (extracted) {
      export.check().check(extracted);
      HandleExport.export(DeviceArrayImpl.unwrap(extracted), out, true);
    }
  }

  /** Closes a task that the consumer refused or dropped. */
  void discard() {
    if (!consume((long) HANDLE.getVolatile(this))) return; // the consumer has extracted the task nevertheless
    drop();
    export.holders().leave(this);
  }

  private boolean consume(long announced) {
    if (announced == 0 || !HANDLE.compareAndSet(this, announced, 0L)) return false;
    Slots.leave(announced);
    return true;
  }

  /** Closes data that is not needed. Only a caller that alone has the task may call this. */
  void drop() {
    try {
      if (owner != null) {
        owner.release();
      } else {
        data.close();
      }
    } catch (Exception e) {
      Faults.report("closing an unused task", e);
    }
  }
}
