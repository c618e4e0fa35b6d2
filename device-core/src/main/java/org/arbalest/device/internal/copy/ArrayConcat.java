// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Conversion;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.copy.ConcatPlan.Dictionaries;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.schema.CommonField;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The concatenation of arrays by the CPU. If the CPU cannot access the memory of an array or of the result, that part
 * is copied.
 */
public final class ArrayConcat {
  /** The bytes of dictionaries that are copied whole with any number of rows. */
  private static final long SMALL_DICTIONARIES = 64 << 10;

  private ArrayConcat() {}

  /** Concatenates arrays. The caller closes the result. See {@link DeviceArray#concat(List)}. */
  public static <A extends DeviceArray> A concat(List<A> arrays) {
    Objects.requireNonNull(arrays, "arrays");
    return concat(arrays, Dictionaries.APPENDED);
  }

  /**
   * Concatenates arrays whose result is concatenated again, with others. Throws if dictionaries cannot be united: a
   * part of one that was appended to another could not be recognized again.
   */
  static <A extends DeviceArray> A concatAgain(List<A> arrays) {
    return concat(arrays, Dictionaries.UNITED);
  }

  private static <A extends DeviceArray> A concat(List<A> arrays, Dictionaries dictionaries) {
    requireSome(arrays);
    Device device = Objects.requireNonNull(arrays.getFirst(), name(0)).device();
    return concat(arrays, device.memory(), DeviceStreamImpl.unwrap(device.defaultStream()), dictionaries);
  }

  /**
   * Concatenates arrays in a given memory. The caller closes the result. See
   * {@link DeviceArray#concat(List, MemoryManager, DeviceStream)}.
   */
  public static <A extends DeviceArray> A concat(List<A> arrays, MemoryManager target, DeviceStreamImpl stream) {
    Objects.requireNonNull(arrays, "arrays");
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(stream, "stream");
    return concat(arrays, target, stream, Dictionaries.APPENDED);
  }

  private static <A extends DeviceArray> A concat(List<A> arrays, MemoryManager target, DeviceStreamImpl stream,
      Dictionaries dictionaries) {
    requireSome(arrays);
    return DeviceArrayImpl.like(arrays.getFirst(), concatenated(arrays, target, stream, dictionaries));
  }

  private static DeviceArray concatenated(List<? extends DeviceArray> arrays, MemoryManager target,
      DeviceStreamImpl stream, Dictionaries dictionaries) {
    List<DeviceArray> held = new ArrayList<>(arrays.size());
    try {
      for (DeviceArray array : arrays) held.add(retained(array, held.size()));
      requirePart(held, target, stream);
      if (held.size() == 1 && !(isCpu(held.getFirst().device()) && isCpu(target.device())))
        return copy(held.getFirst(), target, stream);
      Field whole = whole(held);
      fetch(held, stream);
      if (target.isCpuAccessible()) return join(held, whole, target, dictionaries);
      MemoryManager near = target.device().hostMemory().orElseGet(() -> CpuDevice.get().memory());
      try (DeviceArray joined = join(held, whole, near, dictionaries)) {
        return joined.copyTo(target, reaching(stream, target.device()));
      }
    } finally {
      for (DeviceArray array : held) array.close();
    }
  }

  private static boolean isCpu(Device device) {
    return DeviceImpl.unwrap(device).isCpu();
  }

  private static DeviceArray retained(DeviceArray array, int index) {
    try {
      return Objects.requireNonNull(array, () -> name(index)).retain();
    } catch (IllegalStateException e) { // closed
      throw new IllegalStateException(name(index) + ": " + e.getMessage(), e);
    }
  }

  private static void requireSome(List<? extends DeviceArray> arrays) {
    if (arrays.isEmpty()) throw new IllegalArgumentException("there are no arrays to concatenate");
  }

  /**
   * Rejects a stream of a device that does not take part, as a copy does (DEV-21). The CPU always takes part, because
   * it joins the arrays.
   */
  private static void requirePart(List<DeviceArray> arrays, MemoryManager target, DeviceStreamImpl stream) {
    if (DeviceImpl.unwrap(stream.device()).isCpu() || stream.reaches(target.device())) return;
    Set<Device> devices = new LinkedHashSet<>();
    for (DeviceArray array : arrays) devices.add(array.device());
    if (devices.stream().anyMatch(stream::reaches)) return;
    String from = devices.stream().map(Device::toString).collect(Collectors.joining(", "));
    throw ArrayCopy.noPart(stream, "a concatenation of arrays on " + from + ", to " + target.device());
  }

  /**
   * Returns the field of the result: the first array's field, nullable if any array's field is nullable. The error
   * names the array that has another type or other column names.
   */
  private static Field whole(List<DeviceArray> arrays) {
    Field whole = arrays.getFirst().field();
    for (int i = 1; i < arrays.size(); i++) {
      try {
        whole = CommonField.of(whole, arrays.get(i).field());
      } catch (MalformedException e) {
        throw e.toException(name(i) + " and " + name(0) + " differ: ");
      }
    }
    return whole;
  }

  /**
   * Copies the arrays that the CPU cannot access to main memory, all at the same time. Blocks until all arrays are
   * readable.
   */
  private static void fetch(List<DeviceArray> held, DeviceStreamImpl stream) {
    int i = 0;
    try {
      for (i = 0; i < held.size(); i++) {
        DeviceArray array = held.get(i);
        if (DeviceArrayImpl.unwrap(array).isMemoryCpuAccessible()) continue;
        held.set(i, array.copyTo(CpuDevice.get().memory(), reaching(stream, array.device())));
        array.close();
      }
      for (i = 0; i < held.size(); i++) held.get(i).synchronize();
    } catch (DeviceException e) {
      throw new DeviceException(e.errno(), name(i) + ": " + e.getMessage(), e);
    }
  }

  private static DeviceArray copy(DeviceArray array, MemoryManager target, DeviceStreamImpl stream) {
    try {
      return array.copyTo(target, stream.reaches(target.device()) ? stream : reaching(stream, array.device()));
    } catch (DeviceException e) {
      throw new DeviceException(e.errno(), name(0) + ": " + e.getMessage(), e);
    }
  }

  private static String name(int index) {
    return "arrays[" + index + "]";
  }

  private static DeviceStream reaching(DeviceStreamImpl stream, Device device) {
    return stream.reaches(device) ? stream : device.defaultStream();
  }

  /**
   * Returns a copy of an array that keeps much more memory than its rows need. The caller closes the copy. Returns null
   * if the array needs most of the memory, or if a copy is not possible: memory may be lacking, and a malformed array
   * is reported by the operation that reads it. Waits for the array if it may need a copy.
   *
   * @param source an array that this one was made from, and whose memory it keeps; or the array itself
   * @param keepsDictionaries whether a copy has the whole dictionaries, and not only the values that rows have; large
   *     ones are not copied for few rows
   */
  public static @Nullable DeviceArray withoutSpare(DeviceArrayImpl array, DeviceArrayImpl source,
      boolean keepsDictionaries) {
    MemoryManager target = array.device().memory();
    if (!array.isMemoryCpuAccessible() || !target.isCpuAccessible()) return null;
    Ownership owner = array.share();
    try {
      boolean isReady = !owner.mayHaveToWait();
      long kept = RecordedArrays.bytes(source, owner, isReady);
      long enough = SpareMemory.usedFrom(kept);
      Layout layout = Layout.of(array.field());
      long least =
          SpareMemory.leastBytes(layout, array.struct(owner), array.offset(), array.length(), isReady, enough);
      long dictionaries =
          keepsDictionaries ? SpareMemory.dictionaryBytes(layout, array.struct(owner), 0, isReady, enough) : 0;
      if (dictionaries > Math.max(least, SMALL_DICTIONARIES)) return null;
      if (!SpareMemory.isMostBytes(Math.max(least, dictionaries), kept)) return null;
      array.synchronize();
      ConcatPlan plan = new ConcatPlan(new Ownership[] {owner},
          keepsDictionaries ? Dictionaries.WHOLE : Dictionaries.APPENDED);
      ConcatInputs inputs = new ConcatInputs(new long[] {array.struct(owner)});
      inputs.set(0, array.offset(), array.length());
      ConcatPlan.Node node = plan.measure(array.field().name(), array.field(), inputs);
      return SpareMemory.isMostBytes(plan.total(), kept) ? write(plan, node, array.field(), target, true) : null;
    } catch (DeviceException | MalformedException | OutOfMemoryError _) {
      return null;
    } finally {
      owner.release();
    }
  }

  /**
   * Returns whether two arrays have equal dictionaries, each in memory of its own, and these are much of the memory
   * that the arrays keep. Does not wait for an array.
   */
  static boolean repeatDictionaries(DeviceArrayImpl one, DeviceArrayImpl other) {
    if (!one.isMemoryCpuAccessible() || !other.isMemoryCpuAccessible()) return false;
    if (!one.field().type().equals(other.field().type())) return false;
    Layout layout = Layout.of(one.field());
    Ownership first = one.share();
    try {
      Ownership second = other.share();
      try {
        if (first.mayHaveToWait() || second.mayHaveToWait()) return false;
        long a = one.struct(first);
        long b = other.struct(second);
        long repeated = SpareMemory.dictionaryBytes(layout, b, a, true, Long.MAX_VALUE);
        if (repeated == 0) return false;
        long kept =
            RecordedArrays.sum(RecordedArrays.bytes(one, first, true), RecordedArrays.bytes(other, second, true));
        return !SpareMemory.isMost(repeated, kept) && new SameValues(first, second).testDictionaries(layout, a, b);
      } finally {
        second.release();
      }
    } finally {
      first.release();
    }
  }

  private static DeviceArray join(List<DeviceArray> arrays, Field whole, MemoryManager target,
      Dictionaries dictionaries) {
    Ownership[] owners = new Ownership[arrays.size()];
    long[] structs = new long[arrays.size()];
    int held = 0;
    try {
      for (DeviceArray array : arrays) {
        owners[held] = DeviceArrayImpl.unwrap(array).share();
        structs[held] = DeviceArrayImpl.unwrap(array).struct(owners[held]);
        held++;
      }
      ConcatInputs inputs = new ConcatInputs(structs);
      for (int i = 0; i < structs.length; i++)
        inputs.set(i, DeviceArrayImpl.unwrap(arrays.get(i)).offset(), arrays.get(i).length());
      ConcatPlan plan = new ConcatPlan(owners, dictionaries);
      try {
        return join(plan, whole, inputs, target);
      } catch (MalformedException e) {
        throw e.toException(name(plan.input()) + ": ");
      }
    } finally {
      while (held > 0) owners[--held].release();
    }
  }

  private static DeviceArray join(ConcatPlan plan, Field field, ConcatInputs inputs, MemoryManager target) {
    return write(plan, plan.measure(field.name(), field, inputs), field, target, false);
  }

  /** @param isConversion whether the result counts as a {@link Conversion} of one array */
  private static DeviceArray write(ConcatPlan plan, ConcatPlan.Node node, Field field, MemoryManager target,
      boolean isConversion) {
    List<DeviceBuffer> slices = new ArrayList<>();
    try (DeviceBuffer memory = target.allocate(plan.total())) {
      plan.write(node, memory.address());
      ArrayData data = ConcatPlan.data(node, memory, slices);
      return ArrayAssembly.ofCopied(field, data, target.device(), isConversion ? conversion(slices) : null);
    } catch (Throwable t) {
      for (DeviceBuffer slice : slices) slice.close();
      throw t;
    }
  }

  private static Conversion conversion(List<DeviceBuffer> written) {
    long bytes = 0;
    int count = 0;
    for (DeviceBuffer buffer : written) {
      bytes += buffer.size();
      if (buffer.size() > 0) count++;
    }
    return new Conversion(bytes, count, 0);
  }
}
