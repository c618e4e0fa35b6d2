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
 * Options for an import: the interface of the struct, and how to read it. Immutable: each method returns a new
 * instance. To import many arrays that have one schema, make the options once.
 *
 * <p>{@snippet :
 * DeviceArray batch = CData.importArray(array, CImport.DEVICE.schema(schema).validation(Validation.FULL));
 * }
 */
public final class CImport {
  /**
   * Imports through the C data interface, from an {@code ArrowArray} or {@code ArrowArrayStream}. The buffers of such a
   * struct are always in main memory.
   */
  public static final CImport DATA = new CImport(false, null, null, Validation.STRUCTURAL, Set.of());

  /**
   * Imports through the C device data interface, from an {@code ArrowDeviceArray} or {@code ArrowDeviceArrayStream}.
   * The buffers may be on any device, including the CPU.
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
   * Returns options with the type of an array, or with the expected type of a stream.
   *
   * <p>For an array, the field is its type, because an array struct has none: the import reads the array as this type,
   * and needs it.
   *
   * <p>For a stream, the field is an expectation, which is optional: a stream has its own type. An import rejects a
   * stream in three cases: a type differs; the name of a field in a struct or union differs; or a field may contain
   * nulls that the expected field excludes. The import does not compare metadata, extension types and other names. It
   * also does not compare whether a batch itself, the entries of maps and the values of dictionaries may be null.
   */
  public CImport schema(Field field) {
    return new CImport(isDevice, Objects.requireNonNull(field, "field"), null, validation, quirks);
  }

  /** Returns options with the type of a record batch, or of a stream's batches; see {@link #schema(Field)}. */
  public CImport schema(Schema schema) {
    return schema(schema.asField());
  }

  /**
   * Returns options with the type from a C struct; see {@link #schema(Field)}. They are valid for one import, which
   * releases the struct, also if it throws a {@link org.arbalest.device.DeviceException}. If the import rejects an
   * argument, the struct is unchanged, and still belongs to the caller; see {@link CData}.
   *
   * @param schema a live {@code ArrowSchema}
   */
  public CImport schema(MemorySegment schema) {
    return new CImport(isDevice, null, Objects.requireNonNull(schema, "schema"), validation, quirks);
  }

  /** Returns options with the validation level of each array; the default is {@link Validation#STRUCTURAL}. */
  public CImport validation(Validation level) {
    return new CImport(isDevice, field, struct, Objects.requireNonNull(level, "level"), quirks);
  }

  /** Returns options with the quirks of the async stream's producer. */
  public CImport quirks(AsyncQuirk... quirks) {
    return new CImport(isDevice, field, struct, validation, Set.copyOf(Arrays.asList(quirks)));
  }

  void requireNoQuirks() {
    if (!quirks.isEmpty()) throw new IllegalArgumentException("quirks are for async streams only: " + quirks);
  }

  /** Returns a description of the options for logs. */
  @Override
  public String toString() {
    return "CImport." + (isDevice ? "DEVICE" : "DATA") + (field == null ? "" : ", " + field)
        + (struct == null ? "" : ", schema at " + struct) + ", "
        + validation + ", " + quirks;
  }
}
