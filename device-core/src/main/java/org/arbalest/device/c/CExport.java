// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How something is exported: which of the two interfaces its struct is of, and what the consumer asked for.
 * Unchangeable: each method returns another.
 *
 * <p>{@snippet :
 * CData.exportArray(batch, array, CExport.DEVICE.schemaTo(schema).consumerStream(theirs));
 * }
 */
public final class CExport {
  /**
   * By the C data interface, which says which struct it is: an {@code ArrowArray} or {@code ArrowArrayStream}. The
   * buffers must be in main memory, and an array is waited for.
   */
  public static final CExport DATA = new CExport(false, null, null, null, Set.of());

  /**
   * By the C device data interface: an {@code ArrowDeviceArray} or {@code ArrowDeviceArrayStream}. The buffers are on
   * any device, and may have an event.
   */
  public static final CExport DEVICE = new CExport(true, null, null, null, Set.of());

  final boolean isDevice;
  final @Nullable MemorySegment schemaOut;
  final @Nullable Field requested;
  final @Nullable DeviceStream stream;
  final Set<AsyncQuirk> quirks;

  private CExport(
      boolean isDevice,
      @Nullable MemorySegment schemaOut,
      @Nullable Field requested,
      @Nullable DeviceStream stream,
      Set<AsyncQuirk> quirks) {
    this.isDevice = isDevice;
    this.schemaOut = schemaOut;
    this.requested = requested;
    this.stream = stream;
    this.quirks = quirks;
  }

  /**
   * Exports the schema as well. For an array; a stream has its schema.
   *
   * @param out memory for an {@code ArrowSchema}; what is in it is overwritten
   */
  public CExport schemaTo(MemorySegment out) {
    return new CExport(isDevice, Objects.requireNonNull(out, "out"), requested, stream, quirks);
  }

  /**
   * Converts to the layout that the consumer asked for, as {@link DeviceArray#convertTo(Field)} does: the
   * {@code requested_schema} of Arrow's protocols.
   */
  public CExport requested(Field field) {
    return new CExport(isDevice, schemaOut, Objects.requireNonNull(field, "field"), stream, quirks);
  }

  /** Converts to the layout that the consumer asked for; see {@link #requested(Field)}. */
  public CExport requested(Schema schema) {
    return requested(schema.asField());
  }

  /**
   * Lets the consumer's queue of work wait for the array instead of the consumer: the exported struct has no event, and
   * what is queued there from now on finds the array written. Where that queue cannot wait for the array's event, the
   * export waits. The consumer must not release the struct before what it queued is done. For a device array.
   *
   * @param consumer such as {@link org.arbalest.device.Device#wrapStream} makes of a {@code CUstream}; stays the
   *     caller's, who may close it when the export has returned
   */
  public CExport consumerStream(DeviceStream consumer) {
    return new CExport(isDevice, schemaOut, requested, Objects.requireNonNull(consumer, "consumer"), quirks);
  }

  /** What the consumer of an async stream is known to do. */
  public CExport quirks(AsyncQuirk... quirks) {
    return new CExport(isDevice, schemaOut, requested, stream, Set.copyOf(Arrays.asList(quirks)));
  }

  void requireNoQuirks() {
    if (!quirks.isEmpty()) throw new IllegalArgumentException("quirks are of async streams: " + quirks);
  }

  /** The options in words, for logs. */
  @Override
  public String toString() {
    return "CExport." + (isDevice ? "DEVICE" : "DATA") + (schemaOut == null ? "" : ", schema to " + schemaOut)
        + (requested == null ? "" : ", as " + requested)
        + (stream == null ? "" : ", for " + stream) + ", " + quirks;
  }
}
