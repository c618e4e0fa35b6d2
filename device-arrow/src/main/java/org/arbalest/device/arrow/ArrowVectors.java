// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.ref.WeakReference;
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
import org.arbalest.device.RecordBatch;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Conversions between Arrow Java's vectors and device arrays, in main memory and without a copy. {@code
 * org.apache.arrow.c.Data} does the same through the C data interface.
 *
 * <p><b>Arrays from vectors.</b> An array that is made from vectors retains their buffers. The caller keeps the
 * vectors, and may close them at any time. Their allocator counts the memory until the last reference to the array is
 * closed, on any thread. An allocator that is closed earlier reports a leak.
 *
 * <p><b>Vectors from arrays.</b> Vectors that are made from an array keep it alive in the same way. The caller may
 * close the array immediately. The vectors' allocator counts the array's buffers as its own, within its limit. If the
 * array itself was made from vectors of the same allocator, the buffers are counted only once.
 *
 * <p><b>Shared memory.</b> Shared memory must not be written to: neither vectors whose buffers an array uses, nor
 * vectors that were loaded from an array. So before a root is refilled while an array of it exists, it needs new
 * buffers ({@code allocateNew}, {@code clear}).
 *
 * <p><b>Copies.</b> Conversions into arrays copy nothing. Conversions of whole arrays into vectors copy nothing. For
 * slices, they copy bits that do not begin at a byte (validity and booleans) and run ends; {@link #copiedBytes} counts
 * these copies. If an array has no validity bitmap, or is empty and has no offsets, the conversion allocates them,
 * because Arrow Java needs them. The offsets of a slice begin at its first element, not at 0: see
 * docs/guides/arrow-java.md.
 *
 * <p><b>Threads.</b> Any thread may call these methods. One thread at a time uses a vector, a root or a provider. This
 * includes making an array from it, because Arrow Java then writes missing offsets.
 *
 * <p><b>Errors.</b> A {@link org.arbalest.device.DeviceException} names the path of the field: {@code EINVAL} if a
 * conversion is impossible, {@code ENOMEM} if an allocator has reached its limit. After an error nothing is retained,
 * except by the vectors of the caller's dictionaries. An array that is not a record batch is an {@code
 * IllegalArgumentException} where a record batch is required. A closed object is an {@code IllegalStateException}.
 */
@CheckReturnValue
public final class ArrowVectors {
  private static final int REMEMBERED = 256;
  private static final AtomicReferenceArray<@Nullable Known> RECENT = new AtomicReferenceArray<>(REMEMBERED);

  private ArrowVectors() {}

  /**
   * Returns a root without dictionaries as a record batch; the class documentation describes the ownership.
   *
   * @return the array; the caller closes it
   */
  public static RecordBatch toRecordBatch(VectorSchemaRoot root) {
    return VectorLender.lend(root, null);
  }

  /**
   * Returns a root as a record batch.
   *
   * @param dictionaries contains the dictionaries of the root's fields; their buffers are retained too
   * @return the array; the caller closes it
   */
  public static RecordBatch toRecordBatch(VectorSchemaRoot root, DictionaryProvider dictionaries) {
    return VectorLender.lend(root, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /** Returns a vector without dictionaries as an array; see {@link #toRecordBatch(VectorSchemaRoot)}. */
  public static DeviceArray toDeviceArray(FieldVector vector) {
    return VectorLender.lend(vector, null);
  }

  /** Returns a vector as an array; see {@link #toRecordBatch(VectorSchemaRoot, DictionaryProvider)}. */
  public static DeviceArray toDeviceArray(FieldVector vector, DictionaryProvider dictionaries) {
    return VectorLender.lend(vector, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /**
   * Returns a record batch without dictionaries as a new root. In a loop over batches, {@link #loadInto(RecordBatch,
   * VectorSchemaRoot)} creates fewer objects.
   *
   * @param array readable by the CPU and ready; may be closed when this method returns
   * @param allocator counts the buffers
   * @return the root; the caller closes it
   * @throws IllegalStateException if the array is not ready
   * @throws org.arbalest.device.DeviceException with {@code ENOSYS} if the array is on a device; the message says how
   *     to copy it
   */
  public static VectorSchemaRoot toVectorSchemaRoot(RecordBatch array, BufferAllocator allocator) {
    return root(array, allocator, null);
  }

  /**
   * Returns a record batch as a new root.
   *
   * @param array readable by the CPU and ready; may be closed when this method returns
   * @param allocator counts the buffers
   * @param dictionaries receives the dictionaries, under free numbers, and owns their vectors. The caller closes these
   *     vectors too; on failure they are empty
   * @return the root; the caller closes it
   */
  public static VectorSchemaRoot toVectorSchemaRoot(RecordBatch array, BufferAllocator allocator,
      MapDictionaryProvider dictionaries) {
    return root(array, allocator, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /**
   * Returns an array without dictionaries as a new vector, which the caller closes; see {@link
   * #toVectorSchemaRoot(RecordBatch, BufferAllocator)}.
   */
  public static FieldVector toVector(DeviceArray array, BufferAllocator allocator) {
    return vector(array, allocator, null);
  }

  /**
   * Returns an array as a new vector, which the caller closes; see {@link #toVectorSchemaRoot(RecordBatch,
   * BufferAllocator, MapDictionaryProvider)}.
   */
  public static FieldVector toVector(DeviceArray array, BufferAllocator allocator, MapDictionaryProvider dictionaries) {
    return vector(array, allocator, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /**
   * Loads a record batch without dictionaries into an existing root, in place of its vectors' content.
   *
   * @param array readable by the CPU and ready, with columns of the root's names and types; may be closed when this
   *     method returns
   * @param root stays with the caller. On failure it is cleared; but if the array has another schema or cannot be read,
   *     the root is unchanged
   */
  public static void loadInto(RecordBatch array, VectorSchemaRoot root) {
    load(array, root, null);
  }

  /**
   * Loads a record batch into an existing root, and its dictionaries into the existing vectors of a provider. On
   * failure, some of the dictionaries may be loaded. Two fields with the same number have one dictionary: if their
   * values differ, this is an error.
   *
   * @param array readable by the CPU and ready, with columns of the root's names and types; may be closed when this
   *     method returns
   * @param root stays with the caller, as in {@link #loadInto(RecordBatch, VectorSchemaRoot)}
   * @param dictionaries contains the dictionaries of the root's fields
   */
  public static void loadInto(RecordBatch array, VectorSchemaRoot root, DictionaryProvider dictionaries) {
    load(array, root, Objects.requireNonNull(dictionaries, "dictionaries"));
  }

  /**
   * Returns the number of bytes that all threads have copied into vectors so far: the parts of slices that no pointer
   * can address.
   */
  public static long copiedBytes() {
    return VectorLoader.COPIED.sum();
  }

  private static void load(RecordBatch array, VectorSchemaRoot root, @Nullable DictionaryProvider dictionaries) {
    load(array, root, dictionaries, LoadedDictionaries.of(dictionaries));
  }

  /**
   * Loads a record batch. Dictionaries that are already loaded are not loaded again, and must equal those of the array.
   */
  static void load(RecordBatch array, VectorSchemaRoot root, @Nullable DictionaryProvider dictionaries,
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

  private static void load(RecordBatch array, RootPlan plan, VectorSchemaRoot root,
      @Nullable LoadedDictionaries dictionaries, boolean isNew) {
    try {
      VectorLoader.load(array, plan, root, dictionaries, isNew);
    } catch (Throwable t) {
      throw translated(closed(root::clear, t));
    }
  }

  /** Loads the dictionaries of a batch into the vectors of a provider. */
  static void loadDictionaries(RecordBatch array, org.apache.arrow.vector.types.pojo.Schema schema,
      LoadedDictionaries loaded) {
    VectorLoader.requireReadable(array);
    RootPlan plan = RootPlan.of(schema, loaded.provider);
    try {
      VectorLoader.loadDictionaries(array, plan, loaded);
    } catch (Throwable t) {
      throw translated(t);
    }
  }

  /** Runs {@code close} after a failure, and returns the failure. */
  private static Throwable closed(Runnable close, Throwable failure) {
    try {
      close.run();
    } catch (Throwable t) {
      Releases.join(failure, t);
    }
    return failure;
  }

  private static VectorSchemaRoot root(RecordBatch array, BufferAllocator allocator,
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
      if (vector != null) {
        var _ = closed(vector::close, t);
      }
      clearNew(dictionaries, before, t);
      throw translated(t);
    }
  }

  private static void clearNew(@Nullable MapDictionaryProvider dictionaries, Set<Long> before, Throwable failure) {
    if (dictionaries == null) return;
    for (long id : dictionaries.getDictionaryIds()) {
      if (before.contains(id)) continue;
      var _ = closed(dictionaries.lookup(id).getVector()::close, failure);
    }
  }

  private static RuntimeException translated(Throwable t) {
    if (t instanceof Error error) throw error;
    // from an operation on the whole root
    if (t instanceof OutOfMemoryException full) return Unfit.of(full).toDeviceException();
    RuntimeException failure = Unfit.unchecked(t);
    return failure instanceof Unfit unfit ? unfit.toDeviceException() : failure;
  }

  /** Returns the schema. A cache finds it by the identity of the array's field, which all batches of a stream share. */
  private static org.apache.arrow.vector.types.pojo.Schema arrowSchema(
      RecordBatch array, @Nullable MapDictionaryProvider dictionaries, BufferAllocator allocator) {
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
