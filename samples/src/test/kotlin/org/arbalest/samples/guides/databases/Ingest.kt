// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.databases

import org.arbalest.adbc.coroutines.awaitExecute
import org.arbalest.adbc.coroutines.awaitIngest
import org.arbalest.adbc.coroutines.transaction
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcIngest.Mode

suspend fun replaceLate(connection: AdbcConnection, batches: RecordBatchReader): Long = batches.use {
    connection.transaction {
        awaitExecute("DELETE FROM flights WHERE delay > 60")
        awaitIngest(AdbcIngest.into("flights").with(Mode.APPEND), batches) // returns the number of rows
    }
}
