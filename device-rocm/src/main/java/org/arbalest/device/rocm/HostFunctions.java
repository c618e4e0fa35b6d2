package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** Functions of ours that HIP calls when a stream has come to them; by {@code hipLaunchHostFunc}, or ROCm 5's {@code hipStreamAddCallback}. */
final class HostFunctions {
  private static final boolean IS_NEW = HipLibrary.has("hipLaunchHostFunc");

  /** The function by which they are queued. */
  static final String LAUNCH = IS_NEW ? "hipLaunchHostFunc" : "hipStreamAddCallback";

  private HostFunctions() {}

  /** The address, for good, of a function that gets what it is launched with, and throws nothing. */
  static long stub(MethodHandle function) {
    MethodHandle target = IS_NEW ? function : MethodHandles.dropArguments(function, 0, long.class, int.class); // the stream and its status
    FunctionDescriptor type = IS_NEW ? FunctionDescriptor.ofVoid(JAVA_LONG) : FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG);
    return Linker.nativeLinker().upcallStub(target, type, Arena.global()).address();
  }

  /** Queues one: HIP's code. */
  static int launch(long stream, long function, long userData) {
    return IS_NEW ? Hip.launchHostFunc(stream, function, userData) : Hip.streamAddCallback(stream, function, userData, 0);
  }
}
