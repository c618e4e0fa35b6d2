// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Begins events while a recording runs.
 *
 * <p>This class does not refer to Flight Recorder, which a runtime image may lack. {@link Events} refers to it, and is
 * loaded only if Flight Recorder is available. Without a recording, each method returns null, after reading two fields
 * and without garbage.
 */
public final class Recording {
  private static final boolean IS_THERE = isThere();

  private Recording() {}

  private static boolean isThere() {
    try {
      return Recording.class.getModule().canRead(Class.forName("jdk.jfr.Event").getModule());
    } catch (ClassNotFoundException | LinkageError _) {
      return false;
    }
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
    return IS_THERE ? Events.anImport() : null;
  }

  /** Begins the export of an array to native code. */
  public static @Nullable OfArray anExport() {
    return IS_THERE ? Events.anExport() : null;
  }

  /** Begins the copy of an array. */
  public static @Nullable OfArray aCopy() {
    return IS_THERE ? Events.aCopy() : null;
  }

  /** Begins the extraction of an async stream's task. */
  public static @Nullable OfArray anExtraction() {
    return IS_THERE ? Events.anExtraction() : null;
  }

  /** Begins the validation of an array's content. */
  public static @Nullable OfArray aValidation() {
    return IS_THERE ? Events.aValidation() : null;
  }

  /** Begins a wait of a thread. */
  public static @Nullable OfWait aWait() {
    return IS_THERE ? Events.aWait() : null;
  }

  /** Records a handle that was never closed. */
  public static void leak(String what, Throwable made) {
    if (IS_THERE) Events.leak(what, made);
  }

  /**
   * Registers the source of the async streams' states, which is queried periodically while a recording runs. Called
   * once in the process.
   */
  public static void ofStreams(Consumer<OfStreams> streams) {
    if (IS_THERE) Events.ofStreams(streams);
  }
}
