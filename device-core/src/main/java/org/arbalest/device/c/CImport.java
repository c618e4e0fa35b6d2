// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.arbalest.device.Validation;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How something is imported: which of the two interfaces its struct is of, and what else the importer has to know.
 * Unchangeable: each method returns another. Where many arrays of one schema are imported, make the options once.
 *
 * <p>{@snippet :
 * DeviceArray batch = CData.importArray(array, CImport.DEVICE.schema(schema).validation(Validation.FULL));
 * }
 */
public final class CImport {
  /**
   * From the C data interface: an {@code ArrowArray} or {@code ArrowArrayStream}. This says which struct it is, not
   * where data are: they are in main memory.
   */
  public static final CImport DATA = new CImport(false, null, null, Validation.STRUCTURAL, Set.of());

  /**
   * From the C device data interface: an {@code ArrowDeviceArray} or {@code ArrowDeviceArrayStream}, whose data are on
   * any device, the CPU among them.
   */
  public static final CImport DEVICE = new CImport(true, null, null, Validation.STRUCTURAL, Set.of());

  final boolean isDevice;
  final @Nullable Field field;
  final @Nullable MemorySegment struct;
  final Validation validation;
  final Set<AsyncQuirk> quirks;

  private CImport(
      boolean isDevice, @Nullable Field field, @Nullable MemorySegment struct, Validation validation,
      Set<AsyncQuirk> quirks) {
    this.isDevice = isDevice;
    this.field = field;
    this.struct = struct;
    this.validation = validation;
    this.quirks = quirks;
  }

  /**
   * The type of an array. A stream says its own: it is refused if that is another one, by types, by the names of fields
   * in structs and unions, or since there may be nulls where this has none. Metadata, extension types, other names, and
   * whether a batch itself, entries of maps and values of dictionaries may be null do not count.
   */
  public CImport schema(Field field) {
    return new CImport(isDevice, Objects.requireNonNull(field, "field"), null, validation, quirks);
  }

  /** The type of a record batch, or of a stream's batches; see {@link #schema(Field)}. */
  public CImport schema(Schema schema) {
    return schema(schema.asField());
  }

  /**
   * The type as a C struct: options for one import, which releases the struct, also if it fails; unless an argument is
   * refused before anything is touched.
   *
   * @param schema a live {@code ArrowSchema}
   */
  public CImport schema(MemorySegment schema) {
    return new CImport(isDevice, null, Objects.requireNonNull(schema, "schema"), validation, quirks);
  }

  /** How closely each array is looked at; {@link Validation#STRUCTURAL} unless this says otherwise. */
  public CImport validation(Validation level) {
    return new CImport(isDevice, field, struct, Objects.requireNonNull(level, "level"), quirks);
  }

  /** What the producer of an async stream is known to do. */
  public CImport quirks(AsyncQuirk... quirks) {
    return new CImport(isDevice, field, struct, validation, Set.copyOf(Arrays.asList(quirks)));
  }

  void requireNoQuirks() {
    if (!quirks.isEmpty()) throw new IllegalArgumentException("quirks are of async streams: " + quirks);
  }

  /** The options in words, for logs. */
  @Override
  public String toString() {
    return "CImport." + (isDevice ? "DEVICE" : "DATA") + (field == null ? "" : ", " + field)
        + (struct == null ? "" : ", schema at " + struct) + ", "
        + validation + ", " + quirks;
  }
}
