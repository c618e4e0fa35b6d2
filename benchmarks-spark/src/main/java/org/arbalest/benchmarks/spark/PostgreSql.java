// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures queries of a table in PostgreSQL by {@code AdbcSource}, Spark's {@code jdbc} format and its JDBC catalog.
 * Creates the table in the database of {@code -p uri=postgresql://…}; {@code -p driver=…} is the path of the driver.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class PostgreSql {
  private static final String TABLE = "arbalest_benchmark";

  @Param("postgresql://postgres@127.0.0.1:5432/postgres") public String uri;

  @Param("libadbc_driver_postgresql.so") public String driver;

  @Param({"adbc", "jdbc", "catalog"}) public String way;

  @Param({"SELECT * FROM v WHERE a = 77777", "SELECT count(b) FROM v WHERE a BETWEEN 5000 AND 14999",
      "SELECT a FROM v WHERE i LIKE 'text 99999%'", "SELECT count(*) FROM v WHERE h LIKE 'name 7%'",
      "SELECT * FROM v LIMIT 10", "SELECT * FROM v ORDER BY a LIMIT 10", "SELECT count(*) FROM v",
      "SELECT min(a), max(a), sum(d) FROM v", "SELECT b, count(*), sum(d), min(a), max(c) FROM v GROUP BY b",
      "SELECT e, sum(d) FROM v GROUP BY e",
      "SELECT e, sum(d) AS x FROM v GROUP BY e ORDER BY x DESC, e LIMIT 5"}) public String sql;

  private SparkSession session;

  @Setup
  public void open() throws Exception {
    execute("DROP TABLE IF EXISTS " + TABLE,
        "CREATE TABLE " + TABLE + " AS SELECT i AS a, i % 7 AS b, i * 3 AS c, i::int AS d, (i % 100)::int AS e, "
            + "i * 0.5::float8 AS f, i / 3::float8 AS g, 'name ' || i % 1000 AS h, 'text ' || i AS i, i % 2 = 0 AS j "
            + "FROM generate_series(1::bigint, 1000000) i",
        "ALTER TABLE " + TABLE + " ADD PRIMARY KEY (a)", "CREATE INDEX ON " + TABLE + " (i COLLATE \"C\")",
        "VACUUM ANALYZE " + TABLE);
    String catalog = "spark.sql.catalog.pg";
    session = SparkSession.builder().master("local[2]").config("spark.ui.enabled", false)
        .config("spark.sql.shuffle.partitions", 2)
        .config(catalog, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
        .config(catalog + ".url", url()).config(catalog + ".driver", "org.postgresql.Driver")
        .config(catalog + ".pushDownAggregate", true).config(catalog + ".pushDownLimit", true).getOrCreate();
  }

  private String url() {
    return "jdbc:" + uri.replaceFirst("//([^@]+)@(.*)", "//$2?user=$1");
  }

  private void execute(String... all) throws Exception {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String one : all) statement.execute(one);
    }
  }

  @TearDown
  public void close() throws Exception {
    session.stop();
    execute("DROP TABLE " + TABLE);
  }

  private Dataset<Row> table() {
    return switch (way) {
      case "adbc" -> session.read().format("arbalest").option("source", "org.arbalest.spark.AdbcSource")
          .option("driver", driver).option("database.uri", uri).option("table", TABLE).load();
      case "jdbc" -> session.read().format("jdbc").option("url", url()).option("dbtable", TABLE).load();
      default -> session.table("pg.public." + TABLE);
    };
  }

  @Benchmark
  public long query() {
    table().createOrReplaceTempView("v");
    return session.sql(sql).collectAsList().size();
  }

  @Benchmark
  public long scan() {
    table().write().format("noop").mode("overwrite").save();
    return 0;
  }
}
