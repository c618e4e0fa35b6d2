// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.duckdb

internal class DuckDbNpmSpec : DuckDbContract(DuckDb.npm)
