// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.jspecify.annotations.Nullable;

/**
 * The functions that native code calls through the library's handlers, producers and tasks, on any thread. Each has one
 * stub that lives as long as the process. No exception leaves them. Calls for objects that no longer exist are
 * rejected.
 */
@SuppressWarnings("UnusedMethod") // stub() finds them by name
final class AsyncCallbacks {
  private static final FunctionDescriptor RELEASE = FunctionDescriptor.ofVoid(JAVA_LONG);
  private static final FunctionDescriptor GET = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final FunctionDescriptor ON_NEXT_TASK =
      FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final FunctionDescriptor ON_ERROR =
      FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final FunctionDescriptor REQUEST = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG);

  static final long HANDLER_ON_SCHEMA = stub("handlerOnSchema", GET, ExitAction.REFUSE);
  static final long HANDLER_ON_NEXT_TASK = stub("handlerOnNextTask", ON_NEXT_TASK, ExitAction.REFUSE);
  static final long HANDLER_ON_ERROR = stub("handlerOnError", ON_ERROR, ExitAction.NOTHING);
  static final long HANDLER_RELEASE = stub("handlerRelease", RELEASE, ExitAction.NOTHING);
  static final long PRODUCER_REQUEST = stub("producerRequest", REQUEST, ExitAction.NOTHING);
  static final long PRODUCER_CANCEL = stub("producerCancel", RELEASE, ExitAction.NOTHING);
  static final long TASK_EXTRACT_DATA = stub("taskExtractData", GET, ExitAction.REFUSE);

  private AsyncCallbacks() {}

  private static long stub(String method, FunctionDescriptor type, ExitAction action) {
    return ExitGuard.stub(MethodHandles.lookup(), method, type, action);
  }

  private static int handlerOnSchema(long handler, long schema) {
    try {
      AsyncHandler found = AsyncHandler.find(handler);
      if (found != null) return found.onSchema(schema);
      SchemaImporter.giveBack(schema);
      return Errno.EINVAL;
    } catch (Throwable t) {
      return Faults.answer("on_schema", t);
    }
  }

  private static int handlerOnNextTask(long handler, long task, long metadata) {
    try {
      AsyncHandler found = AsyncHandler.find(handler);
      return found == null ? Errno.EINVAL : found.onNextTask(task, metadata);
    } catch (Throwable t) {
      return Faults.answer("on_next_task", t);
    }
  }

  private static void handlerOnError(long handler, int code, long message, long metadata) {
    onError(handler, code, message, metadata, null);
  }

  /** Implements {@code on_error}, with the original exception if the producer is the library's own. */
  static void onError(long handler, int code, long message, long metadata, @Nullable Throwable cause) {
    try {
      AsyncHandler found = AsyncHandler.find(handler);
      if (found != null) found.onError(code, message, metadata, cause);
    } catch (Throwable t) {
      Faults.report("on_error", t);
    }
  }

  private static void handlerRelease(long handler) {
    try {
      AsyncHandler found = AsyncHandler.find(handler);
      if (found != null) found.release();
    } catch (Throwable t) {
      Faults.report("release of an async handler", t);
    }
  }

  private static void producerRequest(long producer, long n) {
    try {
      AsyncExport found = AsyncExport.find(producer);
      if (found != null) found.request(n);
    } catch (Throwable t) {
      Faults.report("request", t);
    }
  }

  private static void producerCancel(long producer) {
    try {
      AsyncExport found = AsyncExport.find(producer);
      if (found != null) found.cancel();
    } catch (Throwable t) {
      Faults.report("cancel", t);
    }
  }

  private static int taskExtractData(long task, long out) {
    try {
      return TaskExport.extractData(task, out);
    } catch (Throwable t) {
      return Faults.answer("extract_data", t);
    }
  }
}
