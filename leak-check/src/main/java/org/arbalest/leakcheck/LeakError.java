// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.monitoring.HandleWatch;
import org.arbalest.device.monitoring.ResourceCounters;

/**
 * The error for resources that were left open. The message has one line for each. The first one's stack trace is the
 * cause, and those of the others are suppressed exceptions.
 */
public final class LeakError extends AssertionError {
  private static final long serialVersionUID = 1L;

  /** The prefixes of classes that are not the application's code. */
  private static final List<String> OURS =
      List.of("org.arbalest.device.", "org.arbalest.coroutines.", "java.", "jdk.", "kotlin.", "kotlinx.");

  private final transient ResourceCounters left;

  LeakError(String name, ResourceCounters left, List<HandleWatch.Open> open, boolean hasPlaces) {
    super(message(name, left, open, hasPlaces), open.isEmpty() ? null : new Place(open.getFirst().made()));
    this.left = left;
    for (HandleWatch.Open handle : open.subList(Math.min(1, open.size()), open.size()))
      addSuppressed(new Place(handle.made()));
  }

  /**
   * Returns how many more resources are held than before.
   *
   * <p>A number is negative if earlier resources were released. All numbers can be 0 if as many were released as were
   * left open; then only the message and the stack traces name the open ones.
   */
  public ResourceCounters left() {
    return left;
  }

  private static String message(String name, ResourceCounters left, List<HandleWatch.Open> open, boolean hasPlaces) {
    StringBuilder text = new StringBuilder("still open after ").append(name).append(": ").append(counts(left));
    if (!hasPlaces) text.append("\nwithPlaces = true or -D").append(LeakCheck.PROPERTY)
        .append("=true records each handle and where it was created");
    for (HandleWatch.Open handle : open) {
      Throwable made = handle.made();
      text.append("\nLEAK: ").append(handle.what()).append(" was left open, created ").append(made.getMessage())
          .append(" at ").append(place(made));
    }
    if (hasPlaces && open.isEmpty()) text.append("\nit was created before, or by native code");
    return text.toString();
  }

  /** Returns the first frame of the application's code. */
  private static String place(Throwable made) {
    StackTraceElement[] frames = made.getStackTrace();
    return frames.length == 0 ? "an unknown place" : frames[first(frames)].toString();
  }

  private static int first(StackTraceElement[] frames) {
    for (int i = 0; i < frames.length; i++) {
      if (OURS.stream().noneMatch(frames[i].getClassName()::startsWith)) return i;
    }
    return 0;
  }

  /**
   * A stack trace that begins with the first frame of the application's code, because test reports display only a few
   * frames.
   */
  private static final class Place extends Throwable {
    private static final long serialVersionUID = 1L;

    Place(Throwable made) {
      super(made.getMessage(), null, false, true);
      StackTraceElement[] frames = made.getStackTrace();
      setStackTrace(Arrays.copyOfRange(frames, first(frames), frames.length));
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message of the error describes the resource
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  /** Returns the numbers that are not 0. */
  private static String counts(ResourceCounters left) {
    List<String> words = new ArrayList<>();
    for (RecordComponent component : ResourceCounters.class.getRecordComponents()) {
      long count = count(component, left);
      if (count != 0) words.add(component.getName() + "=" + count);
    }
    return words.isEmpty() ? "as much is open as before, but not the same" : String.join(", ", words);
  }

  private static long count(RecordComponent component, ResourceCounters left) {
    try {
      return (long) component.getAccessor().invoke(left);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the resource counter " + component.getName() + " cannot be read", e);
    }
  }
}
