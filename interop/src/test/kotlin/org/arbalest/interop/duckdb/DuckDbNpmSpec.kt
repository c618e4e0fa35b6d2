package org.arbalest.interop.duckdb

internal class DuckDbNpmSpec : DuckDbContract(DuckDb.npm)
