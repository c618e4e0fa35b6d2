// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe

class AffectedJvmSpec : FunSpec({
    val hotSpot = "OpenJDK 64-Bit Server VM"

    for (version in 25..27) {
        test("HotSpot $version on Linux needs the exit guard [OWN-17]") {
            AffectedJvm.whyNot(version, hotSpot, "Linux").shouldBeNull()
            AffectedJvm.whyNot(version, "Java HotSpot(TM) 64-Bit Server VM", "Linux").shouldBeNull()
        }
    }

    for (version in listOf(24, 28, 29)) {
        test("JDK $version does not need the exit guard, and the reason names its version [OWN-17]") {
            AffectedJvm.whyNot(version, hotSpot, "Linux") shouldBe
                "JDK $version is not one of 25 to 27, which have JDK-8391662"
        }
    }

    test("another JVM or operating system has no exit guard, and the reason names it [OWN-17]") {
        AffectedJvm.whyNot(25, "Eclipse OpenJ9 VM", "Linux") shouldBe "Eclipse OpenJ9 VM is not HotSpot"
        AffectedJvm.whyNot(25, hotSpot, "Mac OS X") shouldBe "Mac OS X is not Linux"
    }
})
