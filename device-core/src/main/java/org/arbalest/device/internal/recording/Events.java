package org.arbalest.device.internal.recording;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Consumer;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import org.arbalest.device.internal.recording.Recording.OfArray;
import org.arbalest.device.internal.recording.Recording.OfStreams;
import org.arbalest.device.internal.recording.Recording.OfWait;
import org.jspecify.annotations.Nullable;

/** Makes events of those that are recorded now. Asked by one event of each kind, so that none is made for asking. */
final class Events {
  private static final ImportEvent IMPORT = new ImportEvent();
  private static final ExportEvent EXPORT = new ExportEvent();
  private static final CopyEvent COPY = new CopyEvent();
  private static final ExtractionEvent EXTRACTION = new ExtractionEvent();
  private static final ValidationEvent VALIDATION = new ValidationEvent();
  private static final WaitEvent WAIT = new WaitEvent();

  private Events() {}

  static @Nullable OfArray anImport() {
    return IMPORT.isEnabled() ? begun(new ImportEvent()) : null;
  }

  static @Nullable OfArray anExport() {
    return EXPORT.isEnabled() ? begun(new ExportEvent()) : null;
  }

  static @Nullable OfArray aCopy() {
    return COPY.isEnabled() ? begun(new CopyEvent()) : null;
  }

  static @Nullable OfArray anExtraction() {
    return EXTRACTION.isEnabled() ? begun(new ExtractionEvent()) : null;
  }

  static @Nullable OfArray aValidation() {
    return VALIDATION.isEnabled() ? begun(new ValidationEvent()) : null;
  }

  static @Nullable OfWait aWait() {
    return WAIT.isEnabled() ? begun(new WaitEvent()) : null;
  }

  private static <T extends Event> T begun(T event) {
    event.begin();
    return event;
  }

  static void leak(String what, Throwable made) {
    LeakEvent event = new LeakEvent();
    if (!event.shouldCommit()) return;
    StringWriter stack = new StringWriter();
    made.printStackTrace(new PrintWriter(stack));
    event.what = what;
    event.made = stack.toString();
    event.commit();
  }

  static void ofStreams(Consumer<OfStreams> streams) {
    FlightRecorder.addPeriodicEvent(AsyncStreamEvent.class, () -> streams.accept(AsyncStreamEvent::told));
  }
}
