// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.device.LastUse;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.lifetime.RecycledExport;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.jspecify.annotations.Nullable;

/**
 * Releases arrays: arrays of other producers by their callback, and exported arrays by the number of their structs.
 *
 * <p>Each struct of an export counts, since a consumer may move a child out and release it after its parent (OWN-06). A
 * struct's {@code private_data} is a generational handle: the slot's handle, with the struct's number. For each number
 * the export knows whether its struct must still be released. Therefore a second release of it does nothing, even
 * through a bitwise copy (OWN-07).
 */
public abstract sealed class ArrayRelease extends RecycledExport permits ArrayExport {
  private static final byte RELEASED = 0;
  private static final byte LIVE_LEAF = 1;
  private static final byte LIVE_TREE = 2;
  private static final byte[] NO_STATES = {};

  /** For each struct, whether it must still be released, and if so, whether it has other structs below it. */
  private byte[] states = NO_STATES;

  private @Nullable Ownership owner;

  /** The consumer's use of the memory in a stream, which goes on after the release. */
  private @Nullable LastUse use;

  ArrayRelease(Slots.Stack home) {
    super(home);
  }

  /** Allocates the states of a number of structs. */
  final void ensureStates(int structs) {
    if (states.length < structs) states = new byte[structs];
  }

  /**
   * Takes the reference to the array's memory until native code has released a number of structs, and, if the consumer
   * uses it in a stream, until the work that is in the stream then is done.
   */
  final void holds(Ownership taken, @Nullable LastUse until, int structs) {
    owner = taken;
    use = until;
    holds(structs);
  }

  /** Gives up an export that failed. The caller keeps its reference. */
  final void abandon() {
    owner = null;
    use = null;
    holds(0);
    recycle();
  }

  /** Marks a struct as not released. Returns its {@code private_data}. */
  final long live(int node, boolean hasOthersBelow) {
    states[node] = hasOthersBelow ? LIVE_TREE : LIVE_LEAF;
    return Slots.node(handle, node);
  }

  /** The release callback, for native code. It is a separate class, since without native access it cannot be made. */
  static final class Callback {
    /** The address of the callback of each array of the library. */
    static final long ADDRESS = ExitGuard.stub(MethodHandles.lookup(), "released",
        FunctionDescriptor.ofVoid(JAVA_LONG), ExitAction.RELEASE_ARRAY);

    private Callback() {}

    @SuppressWarnings("UnusedMethod") // stub() finds it by name
    private static void released(long array) {
      try {
        releaseExport(array);
      } catch (Throwable t) {
        Faults.report("release of an array", t);
      }
    }
  }

  /** Releases an array unless it is released (OWN-01). The library's own arrays are released without a native call. */
  public static void release(long array) {
    long release = RawArrowArray.release(array);
    if (release == Callback.ADDRESS) {
      releaseExport(array);
    } else if (release != 0) {
      Calls.release(release, array);
    }
  }

  /** Implements the release callback of each array of the library. Runs on any thread. */
  static void releaseExport(long array) {
    if (RawArrowArray.release(array) == 0) return;
    long handle = RawArrowArray.privateData(array);
    if (!(Slots.find(handle) instanceof ArrayRelease export)) {
      RawArrowArray.setRelease(array, 0);
      Faults.warn("an array was released twice, through a copy of its struct");
      return;
    }
    int released = export.releaseTree(array, handle);
    export.left(released);
  }

  /** Marks a struct and the structs below it that were not moved out as released. Returns their number. */
  private int releaseTree(long array, long nodeHandle) {
    RawArrowArray.setRelease(array, 0);
    int node = Slots.nodeOf(nodeHandle);
    byte state = states[node];
    states[node] = RELEASED;
    if (state == RELEASED) return 0;
    return state == LIVE_LEAF ? 1 : 1 + releaseBelow(array);
  }

  private int releaseBelow(long array) {
    int released = 0;
    long count = RawArrowArray.nChildren(array);
    long list = RawArrowArray.children(array);
    for (long i = 0; i < count; i++) released += releaseNext(NativeHeap.getLong(list + Long.BYTES * i));
    long dictionary = RawArrowArray.dictionary(array);
    return dictionary == 0 ? released : released + releaseNext(dictionary);
  }

  private int releaseNext(long array) {
    long release = RawArrowArray.release(array);
    if (release == 0) return 0;
    long nodeHandle = RawArrowArray.privateData(array);
    if (release == Callback.ADDRESS && Slots.sameSlot(handle, nodeHandle)) return releaseTree(array, nodeHandle);
    release(array); // a consumer put an array of another producer there
    return 0;
  }

  private void left(int released) {
    if (!isLeftBy(released)) return;
    Ownership last = owner;
    LastUse until = use;
    owner = null;
    use = null;
    recycle();
    if (last == null) return;
    if (until == null) {
      last.release();
    } else {
      until.end(last);
    }
  }
}
