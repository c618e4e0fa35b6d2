// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.monitoring.HandleWatch;
import org.arbalest.device.monitoring.ResourceCounters;

/**
 * Something was left open. The message has a line for each; the stack traces of the places that made them are its
 * cause, and suppressed.
 */
public final class LeakError extends AssertionError {
  private static final long serialVersionUID = 1L;

  /** Whose frames are not the user's. */
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
   * How much is held that was not held before; negative where something was released that had been there before, and 0
   * where as much was, so that only the message and the stack traces say what is left.
   */
  public ResourceCounters left() {
    return left;
  }

  private static String message(String name, ResourceCounters left, List<HandleWatch.Open> open, boolean hasPlaces) {
    StringBuilder text = new StringBuilder("not back after ").append(name).append(": ").append(counts(left));
    if (!hasPlaces) text.append("\nwithPlaces = true or -D").append(LeakCheck.PROPERTY)
        .append("=true notes what that is, and where it was made");
    for (HandleWatch.Open handle : open) {
      Throwable made = handle.made();
      text.append("\nLEAK: ").append(handle.what()).append(" was left open, made ").append(made.getMessage())
          .append(" at ").append(place(made));
    }
    if (hasPlaces && open.isEmpty()) text.append("\nit was made before, or is C's");
    return text.toString();
  }

  /** The first frame that is not ours. */
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

  /** A stack that begins with the first frame that is not ours, since test reports cut it off soon. */
  private static final class Place extends Throwable {
    private static final long serialVersionUID = 1L;

    Place(Throwable made) {
      super(made.getMessage(), null, false, true);
      StackTraceElement[] frames = made.getStackTrace();
      setStackTrace(Arrays.copyOfRange(frames, first(frames), frames.length));
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message above it has said what this is
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  /** Those that are not 0. */
  private static String counts(ResourceCounters left) {
    List<String> words = new ArrayList<>();
    for (RecordComponent component : ResourceCounters.class.getRecordComponents()) {
      long count = count(component, left);
      if (count != 0) words.add(component.getName() + "=" + count);
    }
    return words.isEmpty() ? "as much is held as before, but not the same" : String.join(", ", words);
  }

  private static long count(RecordComponent component, ResourceCounters left) {
    try {
      return (long) component.getAccessor().invoke(left);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the ledger's " + component.getName() + " cannot be read", e);
    }
  }
}
