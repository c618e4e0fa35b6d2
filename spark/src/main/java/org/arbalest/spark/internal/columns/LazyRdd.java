// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.function.Supplier;
import org.apache.spark.Dependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * An RDD that makes another RDD when an action requests its partitions. An adaptive plan executes the stages before its
 * last one in order to make an RDD.
 */
final class LazyRdd<T> extends RDD<T> {
  private static final long serialVersionUID = 1;

  private transient @Nullable Supplier<RDD<T>> maker;
  private transient @Nullable RDD<T> made;

  private LazyRdd(Dataset<?> dataframe, Supplier<RDD<T>> maker) {
    super(((org.apache.spark.sql.classic.Dataset<?>) dataframe).sparkSession().sparkContext(), none(),
        ClassTag$.MODULE$.apply(Object.class));
    this.maker = maker;
  }

  static <T> LazyRdd<T> of(Dataset<?> dataframe, Supplier<RDD<T>> maker) {
    return new LazyRdd<>(dataframe, maker);
  }

  @SuppressWarnings("unchecked") // the list is empty
  private static Seq<Dependency<?>> none() {
    return (Seq<Dependency<?>>) (Seq<?>) Nil$.MODULE$;
  }

  /** Returns the RDD, on the driver. Executors receive it as the dependency. */
  private synchronized RDD<T> made() {
    RDD<T> known = made;
    if (known == null) {
      Supplier<RDD<T>> how = maker;
      if (how == null) throw new IllegalStateException("an executor needs a value that exists only in the driver");
      made = known = how.get();
    }
    return known;
  }

  @Override
  public Partition[] getPartitions() {
    return made().partitions();
  }

  @Override
  public Seq<Dependency<?>> getDependencies() {
    return CollectionConverters.asScala(java.util.List.<Dependency<?>>of(new OneToOneDependency<>(made()))).toSeq();
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    return made().preferredLocations(split);
  }

  @Override
  public scala.collection.Iterator<T> compute(Partition split, TaskContext context) {
    return this.<T>firstParent(ClassTag$.MODULE$.apply(Object.class)).iterator(split, context);
  }

  @Override
  public void clearDependencies() {
    super.clearDependencies();
    maker = null;
    made = null;
  }
}
