// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles.Lookup;
import org.arbalest.device.spi.Callback;
import org.arbalest.device.spi.HostTask;

/**
 * Functions of ours that HIP calls when a stream has come to them; by {@code hipLaunchHostFunc}, or ROCm 5's
 * {@code hipStreamAddCallback}. They may not call HIP.
 */
final class HostFunctions {
  private static final boolean IS_NEW = HipLibrary.has(Hip.LAUNCH_HOST_FUNC.name());

  /** The function by which they are queued. */
  static final HipFunction LAUNCH = IS_NEW ? Hip.LAUNCH_HOST_FUNC : Hip.STREAM_ADD_CALLBACK;

  private HostFunctions() {}

  /**
   * The address, for good, of a function of a class that gets what it is launched with, and throws nothing; ROCm 5
   * calls the one of the same name that also gets the stream and its status.
   */
  static long stub(Lookup lookup, String method) {
    return Callback.stub(
        lookup, method,
        IS_NEW ? FunctionDescriptor.ofVoid(JAVA_LONG) : FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));
  }

  /** Queues what core wants done: HIP's code. */
  static int launch(long stream, HostTask task) {
    return launch(stream, IS_NEW ? task.hostFunction() : task.streamCallback(), task.userData());
  }

  /** Queues one: HIP's code. */
  static int launch(long stream, long function, long userData) {
    return IS_NEW
        ? Hip.LAUNCH_HOST_FUNC.call(stream, function, userData)
        : Hip.STREAM_ADD_CALLBACK.call(stream, function, userData, 0);
  }
}
