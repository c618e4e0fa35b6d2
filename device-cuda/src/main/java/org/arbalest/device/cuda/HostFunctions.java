// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles.Lookup;
import org.arbalest.device.spi.Callback;

/** Functions of ours that the driver calls when a stream has come to them. They may not call CUDA. */
final class HostFunctions {
  /** The function by which they are queued. */
  static final String LAUNCH = "cuLaunchHostFunc";

  private HostFunctions() {}

  /** The address, for good, of a function of a class that gets what it is launched with, and throws nothing. */
  static long stub(Lookup lookup, String method) {
    return Callback.stub(lookup, method, FunctionDescriptor.ofVoid(JAVA_LONG));
  }

  /** Queues one, in the context: the driver's code. */
  static int launch(long stream, long function, long userData) {
    return Cu.launchHostFunc(stream, function, userData);
  }
}
