// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Begins events, if somebody records them. Nothing here mentions Flight Recorder, which an image may lack; what does is
 * in {@link Events}, and loaded where it is there only. What begins is null while nobody records: a look at two fields,
 * and no garbage.
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
   * Something that goes on with an array. Whoever began it asks {@link #isOver}, and tells the rest only if that is so.
   */
  public interface OfArray {
    /** Ends it now; whether it took long enough to be told. */
    boolean isOver();

    /** What it was of; bytes are −1 if nobody here knows. */
    void describe(long rows, long bytes, Object device, String type);

    /** The same, with the device that the array came from. */
    default void describe(long rows, long bytes, Object from, Object device, String type) {
      describe(rows, bytes, device, type);
    }
  }

  /** A thread that waits. */
  public interface OfWait {
    /** What it waited for, and of which device; it is over. */
    void describe(String what, Object device);
  }

  /** Takes what is told of an async stream at one moment. */
  public interface OfStreams {
    /**
     * One stream.
     *
     * @param id which one, among those there are
     * @param role {@code consumer} or {@code producer}, as which we take part
     * @param queued tasks that wait here; of a producer, those that were announced and not extracted
     * @param demand how many more were asked for, and have not come
     */
    void describe(long id, String role, long queued, long demand);
  }

  /** An array comes in from C. */
  public static @Nullable OfArray anImport() {
    return IS_THERE ? Events.anImport() : null;
  }

  /** An array goes out to C. */
  public static @Nullable OfArray anExport() {
    return IS_THERE ? Events.anExport() : null;
  }

  /** An array is copied. */
  public static @Nullable OfArray aCopy() {
    return IS_THERE ? Events.aCopy() : null;
  }

  /** A task of an async stream is extracted. */
  public static @Nullable OfArray anExtraction() {
    return IS_THERE ? Events.anExtraction() : null;
  }

  /** An array's content is validated. */
  public static @Nullable OfArray aValidation() {
    return IS_THERE ? Events.aValidation() : null;
  }

  /** A thread waits. */
  public static @Nullable OfWait aWait() {
    return IS_THERE ? Events.aWait() : null;
  }

  /** Nobody closed something. */
  public static void leak(String what, Throwable made) {
    if (IS_THERE) Events.leak(what, made);
  }

  /**
   * Asks for the async streams that there are, once in a while, as long as somebody records; called once for the
   * process.
   */
  public static void ofStreams(Consumer<OfStreams> streams) {
    if (IS_THERE) Events.ofStreams(streams);
  }
}
