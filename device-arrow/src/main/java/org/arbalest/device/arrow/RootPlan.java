// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The conversion plan of a schema: an Arrow Java schema and the equivalent schema of this library.
 *
 * <p>Recent plans are cached by the identity of the Arrow Java schema, which a root keeps unchanged; the cache does not
 * keep the schema alive. A plan with dictionaries is valid while the provider has the same fields for their values.
 */
final class RootPlan {
  private static final int REMEMBERED = 256;
  private static final AtomicReferenceArray<@Nullable Known> RECENT = new AtomicReferenceArray<>(REMEMBERED);

  final Schema schema;
  final VectorPlan[] columns;

  /** The approximate number of buffers of all columns. */
  final int buffers;

  final boolean hasDenseUnion;

  /** The field of an array that is known to match this schema; other fields may match too. */
  private volatile @Nullable Field alike;

  private RootPlan(Schema schema, VectorPlan[] columns) {
    this.schema = schema;
    this.columns = columns;
    int all = 0;
    boolean dense = false;
    for (VectorPlan column : columns) {
      all += column.buffers;
      dense |= column.hasDenseUnion;
    }
    this.buffers = all;
    this.hasDenseUnion = dense;
  }

  static RootPlan of(org.apache.arrow.vector.types.pojo.Schema schema, @Nullable DictionaryProvider dictionaries) {
    Objects.requireNonNull(schema, "schema");
    int place = System.identityHashCode(schema) % REMEMBERED;
    Known known = RECENT.get(place);
    if (known != null && known.schema.refersTo(schema) && known.plan.isTrue(dictionaries)) return known.plan;
    try {
      RootPlan plan = read(schema, dictionaries);
      RECENT.set(place, new Known(new WeakReference<>(schema), plan));
      return plan;
    } catch (Unfit e) {
      throw e.toDeviceException();
    }
  }

  private static RootPlan read(org.apache.arrow.vector.types.pojo.Schema schema,
      @Nullable DictionaryProvider dictionaries) {
    VectorPlan[] columns = VectorPlan.children(schema.getFields(), dictionaries);
    return new RootPlan(Schema.of(VectorPlan.fields(columns), ArrowSchemas.metadata(schema.getCustomMetadata())),
        columns);
  }

  /** Returns whether a provider's dictionaries have the fields with which this plan was made. */
  private boolean isTrue(@Nullable DictionaryProvider dictionaries) {
    for (VectorPlan column : columns) {
      if (column.hasDictionary && !column.isTrue(dictionaries)) return false;
    }
    return true;
  }

  /** Throws {@link Unfit} unless batches of another field match this schema. */
  @SuppressWarnings("ReferenceEquality") // a different object is compared by its content
  void requireLike(Field other) {
    Field mine = schema.asField();
    if (mine == other || alike == other) return;
    VectorPlan.requireLike(mine, other);
    alike = other;
  }

  private record Known(WeakReference<org.apache.arrow.vector.types.pojo.Schema> schema, RootPlan plan) {}
}
