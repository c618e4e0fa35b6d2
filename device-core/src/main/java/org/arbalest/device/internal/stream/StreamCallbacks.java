// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.internal.abi.RawArrowArrayStream;
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.memory.Faults;

/**
 * The functions that native code calls through the library's streams, on any thread. Each has one stub that lives as
 * long as the process. No exception leaves them.
 */
@SuppressWarnings("UnusedMethod") // stub() finds them by name
final class StreamCallbacks {
  private static final FunctionDescriptor RELEASE = FunctionDescriptor.ofVoid(JAVA_LONG);
  private static final FunctionDescriptor GET = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final FunctionDescriptor GET_TEXT = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG);

  static final long STREAM_GET_SCHEMA = stub("streamGetSchema", GET, ExitAction.REFUSE);
  static final long STREAM_GET_NEXT = stub("streamGetNext", GET, ExitAction.REFUSE);
  static final long STREAM_GET_LAST_ERROR = stub("streamGetLastError", GET_TEXT, ExitAction.NOTHING);
  static final long STREAM_RELEASE = stub("streamRelease", RELEASE, ExitAction.RELEASE_STREAM);
  static final long DEVICE_STREAM_GET_SCHEMA = stub("deviceStreamGetSchema", GET, ExitAction.REFUSE);
  static final long DEVICE_STREAM_GET_NEXT = stub("deviceStreamGetNext", GET, ExitAction.REFUSE);
  static final long DEVICE_STREAM_GET_LAST_ERROR = stub("deviceStreamGetLastError", GET_TEXT, ExitAction.NOTHING);
  static final long DEVICE_STREAM_RELEASE = stub("deviceStreamRelease", RELEASE, ExitAction.RELEASE_DEVICE_STREAM);

  private StreamCallbacks() {}

  /** Loads this class, which makes the functions above if they do not exist yet. This may fail. */
  static void load() {}

  private static long stub(String method, FunctionDescriptor type, ExitAction action) {
    return ExitGuard.stub(MethodHandles.lookup(), method, type, action);
  }

  private static int streamGetSchema(long stream, long out) {
    try {
      return StreamExport.getSchema(RawArrowArrayStream.privateData(stream), out);
    } catch (Throwable t) {
      return Faults.answer("get_schema", t);
    }
  }

  private static int streamGetNext(long stream, long out) {
    try {
      return StreamExport.getNext(RawArrowArrayStream.privateData(stream), out, false);
    } catch (Throwable t) {
      return Faults.answer("get_next", t);
    }
  }

  private static long streamGetLastError(long stream) {
    try {
      return StreamExport.getLastError(RawArrowArrayStream.privateData(stream));
    } catch (Throwable t) {
      Faults.report("get_last_error", t);
      return 0;
    }
  }

  private static void streamRelease(long stream) {
    try {
      if (RawArrowArrayStream.release(stream) == 0) return;
      RawArrowArrayStream.setRelease(stream, 0);
      StreamExport.release(RawArrowArrayStream.privateData(stream));
    } catch (Throwable t) {
      Faults.report("release of a stream", t);
    }
  }

  private static int deviceStreamGetSchema(long stream, long out) {
    try {
      return StreamExport.getSchema(RawArrowDeviceArrayStream.privateData(stream), out);
    } catch (Throwable t) {
      return Faults.answer("get_schema", t);
    }
  }

  private static int deviceStreamGetNext(long stream, long out) {
    try {
      return StreamExport.getNext(RawArrowDeviceArrayStream.privateData(stream), out, true);
    } catch (Throwable t) {
      return Faults.answer("get_next", t);
    }
  }

  private static long deviceStreamGetLastError(long stream) {
    try {
      return StreamExport.getLastError(RawArrowDeviceArrayStream.privateData(stream));
    } catch (Throwable t) {
      Faults.report("get_last_error", t);
      return 0;
    }
  }

  private static void deviceStreamRelease(long stream) {
    try {
      if (RawArrowDeviceArrayStream.release(stream) == 0) return;
      RawArrowDeviceArrayStream.setRelease(stream, 0);
      StreamExport.release(RawArrowDeviceArrayStream.privateData(stream));
    } catch (Throwable t) {
      Faults.report("release of a stream", t);
    }
  }
}
