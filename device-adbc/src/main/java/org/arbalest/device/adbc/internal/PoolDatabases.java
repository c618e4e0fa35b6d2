// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.device.adbc.AdbcPoolOptions;
import org.jspecify.annotations.Nullable;

/**
 * The databases of a pool, each of which opens one connection at a time. {@code adbc.h} allows no concurrent access to
 * a database, and PostgreSQL's driver counts its connections in a plain integer of the database.
 */
public final class PoolDatabases implements PoolConnections.Source<DriverConnection> {
  private final Supplier<? extends AdbcDatabase> opener;
  private final AdbcPoolOptions options;
  private final int most;

  /** Whether the pool has one database, which the caller opened. */
  private final boolean isOnly;

  // Guarded by the monitor of this.
  private final List<AdbcDatabase> all = new ArrayList<>();
  private final Deque<AdbcDatabase> free = new ArrayDeque<>();
  private boolean isClosed;

  private volatile @Nullable String driver;

  private PoolDatabases(Supplier<? extends AdbcDatabase> opener, AdbcPoolOptions options, int most,
      boolean isOnly) {
    this.opener = opener;
    this.options = options;
    this.most = most;
    this.isOnly = isOnly;
  }

  /** Takes over a database, the only one of the pool. */
  public static PoolDatabases of(AdbcDatabase database, AdbcPoolOptions options) {
    var databases = new PoolDatabases(() -> database, options, 1, true);
    databases.add(database);
    databases.free.add(database);
    return databases;
  }

  /** Opens databases when they are needed. */
  public static PoolDatabases of(Supplier<? extends AdbcDatabase> opener, AdbcPoolOptions options) {
    return new PoolDatabases(opener, options, options.maximumDatabases(), false);
  }

  @Override
  public int most() {
    return most;
  }

  @Override
  public DriverConnection open() {
    AdbcDatabase database = take();
    ConnectionImpl connection;
    try {
      connection = (ConnectionImpl) database.connect();
    } catch (Throwable t) {
      replace(database, t);
      throw t;
    }
    try {
      return DriverConnection.open(connection, options);
    } finally {
      release(database);
    }
  }

  /**
   * Closes a database whose connect failed, so that the supplier opens the next one: perhaps with another token. Its
   * connections stay open. The only database of a pool stays.
   */
  private void replace(AdbcDatabase database, Throwable failure) {
    if (isOnly) {
      release(database);
      return;
    }
    synchronized (this) {
      if (!all.remove(database)) return; // the pool is closed, and has closed it
    }
    try {
      database.close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private AdbcDatabase take() {
    synchronized (this) {
      AdbcDatabase unused = free.poll();
      if (unused != null) return unused;
    }
    AdbcDatabase opened = Objects.requireNonNull(opener.get(), "the supplier of databases returned null");
    if (!add(opened)) {
      opened.close();
      throw new IllegalStateException("the pool is closed");
    }
    return opened;
  }

  private synchronized boolean add(AdbcDatabase database) {
    driver = database.driver().name();
    return !isClosed && all.add(database);
  }

  private synchronized void release(AdbcDatabase database) {
    free.push(database);
  }

  @Override
  public void close() {
    List<AdbcDatabase> open;
    synchronized (this) {
      isClosed = true;
      open = List.copyOf(all);
      all.clear();
    }
    RuntimeException failure = null;
    for (AdbcDatabase database : open) failure = PoolConnections.after(failure, database::close);
    if (failure != null) throw failure;
  }

  /** Returns the driver's name. */
  @Override
  public String toString() {
    String name = driver;
    return name == null ? "a driver that is not loaded yet" : name;
  }
}
