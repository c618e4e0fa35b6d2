// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Arrow Java's vectors as device arrays, and back, in main memory and without a copy: what
 * {@code org.apache.arrow.c.Data} does by way of C.
 *
 * <p><b>Who owns what.</b> An array that is made of vectors retains their buffers: the vectors stay the caller's, to be
 * closed at any time, and the memory is counted by their allocator until the last holder of the array has left, on
 * whatever thread; an allocator that is closed before says that it leaks. Vectors that are made of an array hold it in
 * the same way: their allocator counts its buffers as its own, within its limit, and the array may be closed at once;
 * once only, where it is the one that the array's own vectors are of. What is shared must not be written to: neither
 * vectors whose buffers an array has, nor vectors that were loaded from one. So a root whose array is out there gets
 * new buffers before it is filled again ({@code allocateNew}, {@code clear}).
 *
 * <p><b>What is copied.</b> Into arrays, nothing. Into vectors, of whole arrays nothing, of slices the bits that do not
 * begin at a byte (validity and booleans) and the ends of runs: {@link #copiedBytes} counts them. Where an array has no
 * validity bitmap, or without elements no offsets, Arrow Java wants them, and they are allocated. The offsets of a
 * slice begin where it does, not at 0: see docs/guides/arrow-java.md.
 *
 * <p>Any thread may call these; a vector, a root or a provider is used by one at a time, also to make an array of it,
 * for which Arrow Java writes offsets that were left out. Errors are {@link org.arbalest.device.DeviceException}s which
 * name the path of the field: {@code EINVAL} for what does not fit, {@code ENOMEM} where an allocator has reached its
 * limit. Nothing is held then, but by dictionaries' vectors of the caller's. What is no record batch is an
 * {@code IllegalArgumentException} where one is wanted, and what was closed an {@code IllegalStateException}.
 */
public final class ArrowVectors {
  private static final int REMEMBERED = 256;
  private static final AtomicReferenceArray<@Nullable Known> RECENT = new AtomicReferenceArray<>(REMEMBERED);

  private ArrowVectors() {}

  /**
   * A root without dictionaries as a record batch; see above for who owns what.
   *
   * @return the array, to be closed by the caller
   */
  public static DeviceArray toDeviceArray(VectorSchemaRoot root) {
    return VectorLender.lend(root, null);
  }

  /**
   * A root as a record batch.
   *
   * @param dictionaries what has the dictionaries that the root's fields name; their buffers are retained as well
   * @return the array, to be closed by the caller
   */
  public static DeviceArray toDeviceArray(VectorSchemaRoot root, DictionaryProvider dictionaries) {
    return VectorLender.lend(root, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /** A vector without dictionaries as an array; see {@link #toDeviceArray(VectorSchemaRoot)}. */
  public static DeviceArray toDeviceArray(FieldVector vector) {
    return VectorLender.lend(vector, null);
  }

  /** A vector as an array; see {@link #toDeviceArray(VectorSchemaRoot, DictionaryProvider)}. */
  public static DeviceArray toDeviceArray(FieldVector vector, DictionaryProvider dictionaries) {
    return VectorLender.lend(vector, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /**
   * A record batch without dictionaries as a new root. For a loop over batches
   * {@link #loadInto(DeviceArray, VectorSchemaRoot)} makes less garbage.
   *
   * @param array what the CPU can read now; may be closed when this returns
   * @param allocator who counts the buffers
   * @return the root, to be closed by the caller
   * @throws IllegalStateException if the array is not ready
   * @throws org.arbalest.device.DeviceException with {@code ENOSYS} if the array is on a device: says how to bring it
   *     over
   */
  public static VectorSchemaRoot toVectorSchemaRoot(DeviceArray array, BufferAllocator allocator) {
    return root(array, allocator, null);
  }

  /**
   * A record batch as a new root.
   *
   * @param dictionaries takes the dictionaries, under numbers that are free there, and owns their vectors, which are to
   *     be closed as well; on failure those are empty
   */
  public static VectorSchemaRoot toVectorSchemaRoot(DeviceArray array, BufferAllocator allocator,
      MapDictionaryProvider dictionaries) {
    return root(array, allocator, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /**
   * An array without dictionaries as a new vector, to be closed by the caller; see {@link
   * #toVectorSchemaRoot(DeviceArray, BufferAllocator)}.
   */
  public static FieldVector toVector(DeviceArray array, BufferAllocator allocator) {
    return vector(array, allocator, null);
  }

  /** An array as a new vector; see {@link #toVectorSchemaRoot(DeviceArray, BufferAllocator, MapDictionaryProvider)}. */
  public static FieldVector toVector(DeviceArray array, BufferAllocator allocator, MapDictionaryProvider dictionaries) {
    return vector(array, allocator, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /**
   * Loads a record batch without dictionaries into a root that is there, in place of what its vectors held.
   *
   * @param array what the CPU can read now, with columns of the root's names and types; may be closed when this returns
   * @param root stays the caller's; on failure it is cleared, unless the array is of another schema, or not to be read:
   *     then it is as it was
   */
  public static void loadInto(DeviceArray array, VectorSchemaRoot root) {
    load(array, root, null);
  }

  /**
   * Loads a record batch and its dictionaries, these into the vectors that are there; on failure some of these may be
   * loaded. A number that two fields name is one dictionary: other values of the second are an error.
   *
   * @param dictionaries what has the dictionaries that the root's fields name
   */
  public static void loadInto(DeviceArray array, VectorSchemaRoot root, DictionaryProvider dictionaries) {
    load(array, root, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /** The bytes that were copied into vectors so far, by all threads: those of slices that no pointer leads to. */
  public static long copiedBytes() {
    return VectorLoader.COPIED.sum();
  }

  private static void load(DeviceArray array, VectorSchemaRoot root, @Nullable DictionaryProvider dictionaries) {
    load(array, root, dictionaries, LoadedDictionaries.of(dictionaries));
  }

  /** Likewise; what is loaded already of the dictionaries is not loaded again, and must be what the array has. */
  static void load(DeviceArray array, VectorSchemaRoot root, @Nullable DictionaryProvider dictionaries,
      @Nullable LoadedDictionaries loaded) {
    VectorLoader.requireReadable(array);
    RootPlan plan = RootPlan.of(root.getSchema(), dictionaries);
    try {
      plan.requireLike(array.field());
    } catch (Unfit e) {
      throw e.toDeviceException();
    }
    load(array, plan, root, loaded, false);
  }

  private static void load(DeviceArray array, RootPlan plan, VectorSchemaRoot root,
      @Nullable LoadedDictionaries dictionaries, boolean isNew) {
    try {
      VectorLoader.load(array, plan, root, dictionaries, isNew);
    } catch (Throwable t) {
      throw translated(closed(root::clear, t));
    }
  }

  /** Loads the dictionaries of a batch into those that a provider has. */
  static void loadDictionaries(DeviceArray array, org.apache.arrow.vector.types.pojo.Schema schema,
      LoadedDictionaries loaded) {
    VectorLoader.requireReadable(array);
    RootPlan plan = RootPlan.of(schema, loaded.provider);
    try {
      VectorLoader.loadDictionaries(array, plan, loaded);
    } catch (Throwable t) {
      throw translated(t);
    }
  }

  /** What failed first, of which nothing is to be left. */
  private static Throwable closed(Runnable close, Throwable failure) {
    try {
      close.run();
    } catch (Throwable t) {
      Releases.join(failure, t);
    }
    return failure;
  }

  private static VectorSchemaRoot root(DeviceArray array, BufferAllocator allocator,
      @Nullable MapDictionaryProvider dictionaries) {
    Objects.requireNonNull(allocator, "allocator");
    VectorLoader.requireReadable(array);
    Set<Long> before = dictionaries == null ? Set.of() : Set.copyOf(dictionaries.getDictionaryIds());
    try {
      org.apache.arrow.vector.types.pojo.Schema schema = arrowSchema(array, dictionaries, allocator);
      RootPlan plan = RootPlan.of(schema, dictionaries);
      VectorSchemaRoot root =
          new VectorSchemaRoot(schema, ArrowSchemas.vectors(schema, allocator), VectorLoader.count(array.length()));
      load(array, plan, root, LoadedDictionaries.of(dictionaries), true);
      return root;
    } catch (Throwable t) {
      clearNew(dictionaries, before, t);
      throw translated(t);
    }
  }

  private static FieldVector vector(DeviceArray array, BufferAllocator allocator,
      @Nullable MapDictionaryProvider dictionaries) {
    Objects.requireNonNull(allocator, "allocator");
    VectorLoader.requireReadable(array);
    Set<Long> before = dictionaries == null ? Set.of() : Set.copyOf(dictionaries.getDictionaryIds());
    FieldVector vector = null;
    try {
      org.apache.arrow.vector.types.pojo.Field field = ArrowSchemas.arrowField(array.field(), dictionaries, allocator);
      vector = ArrowSchemas.vector(field, allocator);
      VectorLoader.load(array, ArrowSchemas.plan(field, dictionaries), vector, LoadedDictionaries.of(dictionaries));
      return vector;
    } catch (Throwable t) {
      if (vector != null) closed(vector::close, t);
      clearNew(dictionaries, before, t);
      throw translated(t);
    }
  }

  private static void clearNew(@Nullable MapDictionaryProvider dictionaries, Set<Long> before, Throwable failure) {
    if (dictionaries == null) return;
    for (long id : dictionaries.getDictionaryIds()) {
      if (!before.contains(id)) closed(dictionaries.lookup(id).getVector()::close, failure);
    }
  }

  private static RuntimeException translated(Throwable t) {
    if (t instanceof Error error) throw error;
    // of what is done to the root as a whole
    if (t instanceof OutOfMemoryException full) return Unfit.of(full).toDeviceException();
    RuntimeException failure = Unfit.unchecked(t);
    return failure instanceof Unfit unfit ? unfit.toDeviceException() : failure;
  }

  /** Remembered by the identity of the array's field, which is that of all batches of a stream. */
  private static org.apache.arrow.vector.types.pojo.Schema arrowSchema(
      DeviceArray array, @Nullable MapDictionaryProvider dictionaries, BufferAllocator allocator) {
    Field field = array.field();
    int place = System.identityHashCode(field) % REMEMBERED;
    Known known = RECENT.get(place);
    if (known != null && known.field.refersTo(field)) return known.schema;
    boolean mayBeEncoded = dictionaries != null;
    if (mayBeEncoded) return ArrowSchemas.arrowSchema(array.schema(), dictionaries, allocator);
    org.apache.arrow.vector.types.pojo.Schema schema = ArrowSchemas.toArrowSchema(array.schema());
    RECENT.set(place, new Known(new WeakReference<>(field), schema));
    return schema;
  }

  private record Known(WeakReference<Field> field, org.apache.arrow.vector.types.pojo.Schema schema) {}
}
