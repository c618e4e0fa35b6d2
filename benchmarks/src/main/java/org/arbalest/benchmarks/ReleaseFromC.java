// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.support.NativeLibrary;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how native code releases an exported array through {@code release}, an upcall into this JVM. For comparison,
 * it measures an upcall that does nothing. Each measured call releases {@value #ARRAYS} arrays, which are exported
 * before it; the result is for one. The batch itself stays alive. The heap in the gc profiler is that of the exported
 * handles, not of the release.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@OperationsPerInvocation(ReleaseFromC.ARRAYS)
public class ReleaseFromC {
  static final int ARRAYS = 256;

  /** The structs, and a handle that calls the {@code release} of each from Java: one downcall and one upcall. */
  @State(Scope.Thread)
  public abstract static class Structs {
    static final Linker LINKER = Linker.nativeLinker();
    static final FunctionDescriptor TYPE = FunctionDescriptor.ofVoid(JAVA_LONG);
    private static final MethodHandle CALL = LINKER.downcallHandle(TYPE);

    final MemorySegment[] arrays = new MemorySegment[ARRAYS];
    final long address;

    Structs() {
      MemorySegment all = Arena.global().allocate(RawArrowArray.SIZE * ARRAYS, Long.BYTES);
      address = all.address();
      for (int i = 0; i < ARRAYS; i++) arrays[i] = all.asSlice(RawArrowArray.SIZE * i, RawArrowArray.SIZE);
    }

    final void callEach() throws Throwable {
      for (int i = 0; i < ARRAYS; i++) {
        long array = address + RawArrowArray.SIZE * i;
        CALL.invokeExact(MemorySegment.ofAddress(RawArrowArray.release(array)), array);
      }
    }
  }

  /** Arrays of the library, exported again for each call. */
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Exported extends Structs {
    /** The number of int64 columns. */
    @Param({"1", "10", "100"}) int columns;

    RecordBatch batch;

    @Setup
    public void make() {
      batch = Batches.ours(columns, false);
    }

    @Setup(Level.Invocation)
    public void export() {
      for (MemorySegment array : arrays) CData.exportArray(batch.retain(), array, CExport.DATA);
    }
  }

  /** Structs whose release does nothing, and does not even mark them as released. */
  public static class Empty extends Structs {
    @Setup
    public void make() throws ReflectiveOperationException {
      MethodHandle nothing = MethodHandles.lookup().findStatic(Empty.class, "nothing", TYPE.toMethodType());
      long stub = LINKER.upcallStub(nothing, TYPE, Arena.global()).address();
      for (MemorySegment array : arrays) RawArrowArray.setRelease(array.address(), stub);
    }

    @SuppressWarnings("unused")
    static void nothing(long array) {}
  }

  /** A C loop over the structs. It needs a C compiler; without one, its benchmarks fail. */
  @State(Scope.Benchmark)
  public static class Loop {
    private static final MethodHandle RELEASE_EACH =
        Structs.LINKER.downcallHandle(
            NativeLibrary.Companion.compile("peer/release_each.c").find("release_each").orElseThrow(),
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

    void callEach(Structs structs) throws Throwable {
      RELEASE_EACH.invokeExact(structs.address, (long) ARRAYS);
    }
  }

  /** Releases arrays by a C loop: one upcall for each array. */
  @Benchmark
  public void fromC(Exported exported, Loop loop) throws Throwable {
    loop.callEach(exported);
  }

  /** Makes only the upcall, by the same loop. */
  @Benchmark
  public void emptyFromC(Empty empty, Loop loop) throws Throwable {
    loop.callEach(empty);
  }

  /** Releases arrays from Java by address, without C: one downcall and one upcall for each array. */
  @Benchmark
  public void byAddress(Exported exported) throws Throwable {
    exported.callEach();
  }

  /** Makes only the downcall and the upcall. */
  @Benchmark
  public void emptyByAddress(Empty empty) throws Throwable {
    empty.callEach();
  }
}
