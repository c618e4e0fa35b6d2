// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import java.util.function.Consumer;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Begins events while a recording runs.
 *
 * <p>A runtime image may lack Flight Recorder. This class refers to it in one method, which runs only if it is
 * available. {@link Events} is loaded only after the application has used Flight Recorder, because the first event
 * class takes as long as the start of a JVM. Without a recording, each method returns null, after reading two or three
 * fields and without garbage.
 */
public final class Recording {
  private static final boolean IS_THERE = isThere();

  private Recording() {}

  private static boolean isThere() {
    try {
      Class<?> recorder = Class.forName("jdk.jfr.FlightRecorder", false, Recording.class.getClassLoader());
      return Recording.class.getModule().canRead(recorder.getModule());
    } catch (ClassNotFoundException | LinkageError _) {
      return false;
    }
  }

  /**
   * Returns whether a recording may run. Before the first use of Flight Recorder, no recording can run. It is used from
   * the start with {@code -XX:StartFlightRecording}, and otherwise from the first recording on.
   */
  private static boolean mayRun() {
    return IS_THERE && FlightRecorder.isInitialized();
  }

  /**
   * An operation on an array. The code that began it calls {@link #isOver}, and calls {@link #describe} only if that
   * returned true.
   */
  public interface OfArray {
    /** Ends the operation now. Returns whether it took long enough to be recorded. */
    boolean isOver();

    /** Describes the array; bytes are −1 if they are unknown. */
    void describe(long rows, long bytes, Object device, String type);

    /** Describes the array, with the device from which it came. */
    default void describe(long rows, long bytes, Object from, Object device, String type) {
      describe(rows, bytes, device, type);
    }
  }

  /** A wait of a thread. */
  public interface OfWait {
    /** Ends the wait, and describes its reason and the device. */
    void describe(String what, Object device);
  }

  /** Receives the state of the async streams at one moment. */
  public interface OfStreams {
    /**
     * Receives the state of one stream.
     *
     * @param id the number of the stream among the existing ones
     * @param role {@code consumer} or {@code producer}, the role of this process
     * @param queued the tasks that wait in this process; for a producer, the tasks that were announced and not
     *     extracted
     * @param demand the number of tasks that were requested and have not arrived
     */
    void describe(long id, String role, long queued, long demand);
  }

  /** Begins the import of an array from native code. */
  public static @Nullable OfArray anImport() {
    return mayRun() ? Events.anImport() : null;
  }

  /** Begins the export of an array to native code. */
  public static @Nullable OfArray anExport() {
    return mayRun() ? Events.anExport() : null;
  }

  /** Begins the copy of an array. */
  public static @Nullable OfArray aCopy() {
    return mayRun() ? Events.aCopy() : null;
  }

  /** Begins the extraction of an async stream's task. */
  public static @Nullable OfArray anExtraction() {
    return mayRun() ? Events.anExtraction() : null;
  }

  /** Begins the validation of an array's content. */
  public static @Nullable OfArray aValidation() {
    return mayRun() ? Events.aValidation() : null;
  }

  /** Begins a wait of a thread. */
  public static @Nullable OfWait aWait() {
    return mayRun() ? Events.aWait() : null;
  }

  /** Records a handle that was never closed. */
  public static void leak(String what, Throwable made) {
    if (mayRun()) Events.leak(what, made);
  }

  /**
   * Registers the source of the async streams' states, which is queried periodically while a recording runs. Called
   * once in the process.
   */
  public static void ofStreams(Consumer<OfStreams> streams) {
    if (IS_THERE) FirstUse.run(() -> Events.ofStreams(streams));
  }
}
