// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.lang.reflect.InvocationTargetException;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnSource;
import org.arbalest.spark.internal.task.Failures;
import org.arbalest.spark.internal.vector.SparkTypes;

/**
 * A user's source, with its schema.
 *
 * @param type the schema in Spark's types
 */
record OpenedSource(SourceOptions options, ColumnSource source, Schema schema, StructType type) {
  static OpenedSource open(SourceOptions options) {
    ColumnSource source = make(options.source());
    Schema schema = Failures.unchecked(() -> source.schema(options.all()), "the schema of " + options.source());
    if (schema == null) throw new IllegalStateException(options.source() + " returned null for its schema");
    return new OpenedSource(options, source, schema, SparkTypes.of(schema, options.truncatesNanos()));
  }

  private static ColumnSource make(String name) {
    // Spark's loader, which has the jars of spark.jars
    ClassLoader own = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = own == null ? OpenedSource.class.getClassLoader() : own;
    try {
      return Class.forName(name, true, loader).asSubclass(ColumnSource.class).getConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("there is no class " + name
          + ", which the option source names; a nested class is named with $, as its file is", e);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(
          name + ", which the option source names, failed in its constructor: " + e.getCause(), e.getCause());
    } catch (ClassCastException e) {
      throw new IllegalArgumentException(
          name + ", which the option source names, does not implement " + ColumnSource.class.getName(), e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          name + ", which the option source names, cannot be created: it must be public, with a public constructor "
              + "without parameters",
          e);
    }
  }
}
