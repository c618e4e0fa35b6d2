// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Consumer;
import java.util.function.Supplier;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import org.arbalest.device.internal.recording.Recording.OfArray;
import org.arbalest.device.internal.recording.Recording.OfStreams;
import org.arbalest.device.internal.recording.Recording.OfWait;
import org.jspecify.annotations.Nullable;

/**
 * Makes events of the kinds that are currently recorded. One event of each kind is kept to query whether it is enabled,
 * so that a query makes no event.
 */
final class Events {
  private static final ImportEvent IMPORT = new ImportEvent();
  private static final ExportEvent EXPORT = new ExportEvent();
  private static final CopyEvent COPY = new CopyEvent();
  private static final ExtractionEvent EXTRACTION = new ExtractionEvent();
  private static final ValidationEvent VALIDATION = new ValidationEvent();
  private static final WaitEvent WAIT = new WaitEvent();

  private Events() {}

  static @Nullable OfArray anImport() {
    return begun(IMPORT, ImportEvent::new);
  }

  static @Nullable OfArray anExport() {
    return begun(EXPORT, ExportEvent::new);
  }

  static @Nullable OfArray aCopy() {
    return begun(COPY, CopyEvent::new);
  }

  static @Nullable OfArray anExtraction() {
    return begun(EXTRACTION, ExtractionEvent::new);
  }

  static @Nullable OfArray aValidation() {
    return begun(VALIDATION, ValidationEvent::new);
  }

  static @Nullable OfWait aWait() {
    return begun(WAIT, WaitEvent::new);
  }

  private static <T extends Event> @Nullable T begun(T asked, Supplier<T> maker) {
    if (!asked.isEnabled()) return null;
    try {
      T event = maker.get();
      event.begin();
      return event;
    } catch (VirtualMachineError _) { // no memory for the event: the operation continues without it
      return null;
    }
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
    FlightRecorder.addPeriodicEvent(AsyncStreamEvent.class, () -> streams.accept(AsyncStreamEvent::emit));
  }
}
