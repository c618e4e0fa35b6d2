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
 * Options for an export: the interface of the struct, and the consumer's requests. Immutable: each method returns a new
 * instance.
 *
 * <p>{@snippet :
 * try (DeviceStream queue = gpu.wrapStream(cuStream)) { // the consumer's CUstream
 *   CData.exportArray(batch, array, CExport.DEVICE.schemaTo(schema).consumerStream(queue));
 * }
 * }
 */
public final class CExport {
  /**
   * Exports through the C data interface, as an {@code ArrowArray} or {@code ArrowArrayStream}. The buffers must be in
   * main memory. The export waits until an array is ready.
   */
  public static final CExport DATA = new CExport(false, null, null, null, null, Set.of());

  /**
   * Exports through the C device data interface, as an {@code ArrowDeviceArray} or {@code ArrowDeviceArrayStream}. The
   * buffers may be on any device, and an array may have an event.
   */
  public static final CExport DEVICE = new CExport(true, null, null, null, null, Set.of());

  final boolean isDevice;
  final @Nullable MemorySegment schemaOut;
  final @Nullable Field requested;
  final @Nullable DeviceStream stream;
  final @Nullable DeviceStream counting;
  final Set<AsyncQuirk> quirks;

  private CExport(
      boolean isDevice,
      @Nullable MemorySegment schemaOut,
      @Nullable Field requested,
      @Nullable DeviceStream stream,
      @Nullable DeviceStream counting,
      Set<AsyncQuirk> quirks) {
    this.isDevice = isDevice;
    this.schemaOut = schemaOut;
    this.requested = requested;
    this.stream = stream;
    this.counting = counting;
    this.quirks = quirks;
  }

  /**
   * Returns options that also export the schema. For arrays only; a stream carries its schema.
   *
   * @param out memory for an {@code ArrowSchema}; its content is overwritten
   */
  public CExport schemaTo(MemorySegment out) {
    return new CExport(isDevice, Objects.requireNonNull(out, "out"), requested, stream, counting, quirks);
  }

  /**
   * Returns options that convert the array to the layout that the consumer requested, the {@code requested_schema} of
   * Arrow's protocols. The conversion is that of {@link DeviceArray#convertTo(Field)}.
   */
  public CExport requested(Field field) {
    return new CExport(isDevice, schemaOut, Objects.requireNonNull(field, "field"), stream, counting, quirks);
  }

  /**
   * Returns options that convert the array to the layout that the consumer requested; see {@link #requested(Field)}.
   */
  public CExport requested(Schema schema) {
    return requested(schema.asField());
  }

  /**
   * Returns options that make the consumer's queue wait for the array, so that the consumer does not have to. For
   * {@link #DEVICE} and arrays only.
   *
   * <p>The exported struct has no event. Work that the consumer queues after the export finds the array complete. If
   * the queue cannot wait for the array's event, the export waits.
   *
   * <p>The array and the queue may be of any devices. An array in main memory has an event if, for example, a GPU's
   * queue still copies to it. A queue of this GPU then waits, and the export does not. CPU code of the consumer must
   * therefore wait for its queue before it reads the array.
   *
   * <p><b>Ownership.</b> The consumer may release the struct while its queued work still uses the memory, as libcudf
   * does: the library keeps the memory until the work that is in the queue at the last release is done (OWN-22). The
   * queue must exist until then. Without this option, the consumer must not release the struct before its work is done.
   *
   * @param consumer the queue, such as a stream that {@link org.arbalest.device.Device#wrapStream} makes from a
   *     {@code CUstream}. The caller still owns it, and may close the {@link DeviceStream} when the export has returned
   */
  public CExport consumerStream(DeviceStream consumer) {
    return new CExport(isDevice, schemaOut, requested, Objects.requireNonNull(consumer, "consumer"),
        counting, quirks);
  }

  /**
   * Returns options that state the number of nulls of each column, also nested, for a consumer that takes −1 for 0. For
   * arrays only. The export counts as {@link DeviceArray#countNulls} does, and may wait for that.
   *
   * @param stream the stream that copies bitmaps which the CPU cannot read
   */
  public CExport countNulls(DeviceStream stream) {
    return new CExport(isDevice, schemaOut, requested, this.stream, Objects.requireNonNull(stream, "stream"), quirks);
  }

  /** Returns options with the quirks of the async stream's consumer. */
  public CExport quirks(AsyncQuirk... quirks) {
    return new CExport(isDevice, schemaOut, requested, stream, counting, Set.copyOf(Arrays.asList(quirks)));
  }

  void requireNoQuirks() {
    if (!quirks.isEmpty()) throw new IllegalArgumentException("quirks are for async streams only: " + quirks);
  }

  /** Returns a description of the options for logs. */
  @Override
  public String toString() {
    return "CExport." + (isDevice ? "DEVICE" : "DATA") + (schemaOut == null ? "" : ", schema to " + schemaOut)
        + (requested == null ? "" : ", as " + requested)
        + (stream == null ? "" : ", for " + stream)
        + (counting == null ? "" : ", nulls counted by " + counting) + ", " + quirks;
  }
}
