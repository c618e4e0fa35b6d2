// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.support.batch
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension

/** A task that the application creates from an array. */
class AsyncTaskSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("AsyncTask.of() consumes its array, even if it throws [OWN-16]") {
        val given = batch(3)
        AsyncTask.of(given, Metadata.empty()).use { task ->
            given.isOpen shouldBe false
            task.extract().use { it.length() shouldBe 3 }
        }
        val refused = batch(3)
        val of = AsyncTask::class.java.getMethod("of", RecordBatch::class.java, Metadata::class.java)
        runCatching { of.invoke(null, refused, null) }.exceptionOrNull()!!
            .cause!!::class shouldBe NullPointerException::class
        refused.isOpen shouldBe false
    }
})
