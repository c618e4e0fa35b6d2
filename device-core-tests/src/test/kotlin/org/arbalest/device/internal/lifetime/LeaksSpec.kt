// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.monitoring.HandleWatch
import org.arbalest.device.monitoring.MXBeanRegistration

class LeaksSpec : FunSpec({
    test(
        "what is made while somebody follows, and opened when nobody does any more, is not kept once somebody " +
            "follows again",
    ) {
        val first = HandleWatch.start()
        val late = Leaks.watch(Any(), "something")
        first.close()
        late.opened() // by another thread, which had asked before
        HandleWatch.start().use { second ->
            Leaks.open(0).shouldBeEmpty()
            second.open().shouldBeEmpty()
        }
        late.closed()
    }

    test("nobody else implements what a registration is") {
        MXBeanRegistration::class.java.isSealed shouldBe true
    }
})
