// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.monitoring.HandleWatch
import org.arbalest.device.monitoring.MXBeanRegistration

class LeaksSpec : FunSpec({
    test("a handle made during one watch and opened after it is not kept for the next watch") {
        val first = HandleWatch.start()
        val late = Leaks.watch(Any(), "something")
        first.close()
        late.opened() // as by another thread that checked before the watch was closed
        HandleWatch.start().use { second ->
            Leaks.open(0).shouldBeEmpty()
            second.open().shouldBeEmpty()
        }
        late.closed()
    }

    test("the library alone implements MXBeanRegistration") {
        MXBeanRegistration::class.java.isSealed shouldBe true
    }
})
