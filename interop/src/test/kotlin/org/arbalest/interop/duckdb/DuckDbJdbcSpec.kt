package org.arbalest.interop.duckdb

internal class DuckDbJdbcSpec : DuckDbContract(DuckDb.jdbc)
