// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles.Lookup;
import org.arbalest.device.spi.Callback;
import org.arbalest.device.spi.HostTask;

/**
 * Functions of this library that HIP calls when a stream reaches them; by {@code hipLaunchHostFunc}, or by
 * {@code hipStreamAddCallback} of ROCm 5. They must not call HIP.
 */
final class HostFunctions {
  private static final boolean IS_NEW = HipLibrary.has(Hip.LAUNCH_HOST_FUNC.name());

  /** The function that queues them. */
  static final HipFunction LAUNCH = IS_NEW ? Hip.LAUNCH_HOST_FUNC : Hip.STREAM_ADD_CALLBACK;

  private HostFunctions() {}

  /**
   * Returns the address of a class's function, valid until the process ends. The function receives the value that it is
   * launched with, and throws nothing. ROCm 5 calls the function of the same name that also receives the stream and its
   * status.
   */
  static long stub(Lookup lookup, String method) {
    return Callback.stub(
        lookup, method,
        IS_NEW ? FunctionDescriptor.ofVoid(JAVA_LONG) : FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));
  }

  /** Queues a task of core, and returns HIP's code. */
  static int launch(long stream, HostTask task) {
    return launch(stream, IS_NEW ? task.hostFunction() : task.streamCallback(), task.userData());
  }

  /** Queues a function, and returns HIP's code. */
  static int launch(long stream, long function, long userData) {
    return IS_NEW
        ? Hip.LAUNCH_HOST_FUNC.call(stream, function, userData)
        : Hip.STREAM_ADD_CALLBACK.call(stream, function, userData, 0);
  }
}
