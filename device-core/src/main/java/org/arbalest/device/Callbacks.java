package org.arbalest.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.abi.ArrowArrayStreamStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.upcall.ExitGuard;
import org.arbalest.device.upcall.ExitGuard.Afterwards;
import org.arbalest.device.upcall.Faults;

/**
 * The functions that C calls: one stub for each signature, for the life of the process.
 *
 * <p>They may run on any thread, also on one that the JVM has never seen. Nothing is thrown out of them. What they do when the JVM is over,
 * {@link ExitGuard} says.
 */
@SuppressWarnings("UnusedMethod") // stub() finds them by name
final class Callbacks {
  private static final FunctionDescriptor RELEASE = FunctionDescriptor.ofVoid(JAVA_LONG);
  private static final FunctionDescriptor GET = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final FunctionDescriptor GET_TEXT = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG);

  private static final FunctionDescriptor ON_NEXT_TASK = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final FunctionDescriptor ON_ERROR = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final FunctionDescriptor REQUEST = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG);

  static final long RELEASE_SCHEMA = stub("releaseSchema", RELEASE, Afterwards.RELEASE_SCHEMA);
  static final long RELEASE_ARRAY = stub("releaseArray", RELEASE, Afterwards.RELEASE_ARRAY);
  static final long STREAM_GET_SCHEMA = stub("streamGetSchema", GET, Afterwards.REFUSE);
  static final long STREAM_GET_NEXT = stub("streamGetNext", GET, Afterwards.REFUSE);
  static final long STREAM_GET_LAST_ERROR = stub("streamGetLastError", GET_TEXT, Afterwards.NOTHING);
  static final long STREAM_RELEASE = stub("streamRelease", RELEASE, Afterwards.RELEASE_STREAM);
  static final long DEVICE_STREAM_GET_SCHEMA = stub("deviceStreamGetSchema", GET, Afterwards.REFUSE);
  static final long DEVICE_STREAM_GET_NEXT = stub("deviceStreamGetNext", GET, Afterwards.REFUSE);
  static final long DEVICE_STREAM_GET_LAST_ERROR = stub("deviceStreamGetLastError", GET_TEXT, Afterwards.NOTHING);
  static final long DEVICE_STREAM_RELEASE = stub("deviceStreamRelease", RELEASE, Afterwards.RELEASE_DEVICE_STREAM);

  static final long HANDLER_ON_SCHEMA = stub("handlerOnSchema", GET, Afterwards.REFUSE);
  static final long HANDLER_ON_NEXT_TASK = stub("handlerOnNextTask", ON_NEXT_TASK, Afterwards.REFUSE);
  static final long HANDLER_ON_ERROR = stub("handlerOnError", ON_ERROR, Afterwards.NOTHING);
  static final long HANDLER_RELEASE = stub("handlerRelease", RELEASE, Afterwards.NOTHING);
  static final long PRODUCER_REQUEST = stub("producerRequest", REQUEST, Afterwards.NOTHING);
  static final long PRODUCER_CANCEL = stub("producerCancel", RELEASE, Afterwards.NOTHING);
  static final long TASK_EXTRACT_DATA = stub("taskExtractData", GET, Afterwards.REFUSE);

  /** {@code void (*)(void* userData)}, by which a driver tells that an event is over. */
  static final long HOST_FUNCTION = stub("hostFunction", RELEASE, Afterwards.NOTHING);

  /** {@code void (*)(void*, int, void* userData)}, likewise. */
  static final long EVENT_CALLBACK = stub("eventCallback", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG), Afterwards.NOTHING);

  private Callbacks() {}

  private static long stub(String method, FunctionDescriptor type, Afterwards afterwards) {
    return ExitGuard.stub(MethodHandles.lookup(), method, type, afterwards);
  }

  private static void releaseSchema(long schema) {
    try {
      SchemaExport.release(schema);
    } catch (Throwable t) {
      Faults.report("release of a schema", t);
    }
  }

  private static void releaseArray(long array) {
    try {
      ArrayExport.release(array);
    } catch (Throwable t) {
      Faults.report("release of an array", t);
    }
  }

  private static int streamGetSchema(long stream, long out) {
    try {
      return StreamExport.getSchema(ArrowArrayStreamStruct.privateData(stream), out);
    } catch (Throwable t) {
      return unexpected("get_schema", t);
    }
  }

  private static int streamGetNext(long stream, long out) {
    try {
      return StreamExport.getNext(ArrowArrayStreamStruct.privateData(stream), out, false);
    } catch (Throwable t) {
      return unexpected("get_next", t);
    }
  }

  private static long streamGetLastError(long stream) {
    try {
      return StreamExport.getLastError(ArrowArrayStreamStruct.privateData(stream));
    } catch (Throwable t) {
      Faults.report("get_last_error", t);
      return 0;
    }
  }

  private static void streamRelease(long stream) {
    try {
      if (ArrowArrayStreamStruct.release(stream) == 0) return;
      ArrowArrayStreamStruct.setRelease(stream, 0);
      StreamExport.release(ArrowArrayStreamStruct.privateData(stream));
    } catch (Throwable t) {
      Faults.report("release of a stream", t);
    }
  }

  private static int deviceStreamGetSchema(long stream, long out) {
    try {
      return StreamExport.getSchema(ArrowDeviceArrayStreamStruct.privateData(stream), out);
    } catch (Throwable t) {
      return unexpected("get_schema", t);
    }
  }

  private static int deviceStreamGetNext(long stream, long out) {
    try {
      return StreamExport.getNext(ArrowDeviceArrayStreamStruct.privateData(stream), out, true);
    } catch (Throwable t) {
      return unexpected("get_next", t);
    }
  }

  private static long deviceStreamGetLastError(long stream) {
    try {
      return StreamExport.getLastError(ArrowDeviceArrayStreamStruct.privateData(stream));
    } catch (Throwable t) {
      Faults.report("get_last_error", t);
      return 0;
    }
  }

  private static void deviceStreamRelease(long stream) {
    try {
      if (ArrowDeviceArrayStreamStruct.release(stream) == 0) return;
      ArrowDeviceArrayStreamStruct.setRelease(stream, 0);
      StreamExport.release(ArrowDeviceArrayStreamStruct.privateData(stream));
    } catch (Throwable t) {
      Faults.report("release of a stream", t);
    }
  }

  private static int handlerOnSchema(long handler, long schema) {
    try {
      return AsyncHandler.onSchema(handler, schema);
    } catch (Throwable t) {
      return unexpected("on_schema", t);
    }
  }

  private static int handlerOnNextTask(long handler, long task, long metadata) {
    try {
      return AsyncHandler.onNextTask(handler, task, metadata);
    } catch (Throwable t) {
      return unexpected("on_next_task", t);
    }
  }

  private static void handlerOnError(long handler, int code, long message, long metadata) {
    try {
      AsyncHandler.onError(handler, code, message, metadata);
    } catch (Throwable t) {
      Faults.report("on_error", t);
    }
  }

  private static void handlerRelease(long handler) {
    try {
      AsyncHandler.release(handler);
    } catch (Throwable t) {
      Faults.report("release of an async handler", t);
    }
  }

  private static void producerRequest(long producer, long n) {
    try {
      AsyncExport.request(producer, n);
    } catch (Throwable t) {
      Faults.report("request", t);
    }
  }

  private static void producerCancel(long producer) {
    try {
      AsyncExport.cancel(producer);
    } catch (Throwable t) {
      Faults.report("cancel", t);
    }
  }

  private static int taskExtractData(long task, long out) {
    try {
      return TaskExport.extractData(task, out);
    } catch (Throwable t) {
      return unexpected("extract_data", t);
    }
  }

  /** The exports turn what a source throws into a code and a message themselves; this is for what they did not foresee. */
  private static int unexpected(String call, Throwable t) {
    Faults.report(call, t);
    return t instanceof OutOfMemoryError ? Errno.ENOMEM : Errno.EINVAL;
  }

  private static void hostFunction(long userData) {
    try {
      Wait.told(userData);
    } catch (Throwable t) {
      Faults.report("telling that an event is over", t);
    }
  }

  @SuppressWarnings("UnusedVariable") // what came of it, the event says
  private static void eventCallback(long event, int status, long userData) {
    hostFunction(userData);
  }
}
