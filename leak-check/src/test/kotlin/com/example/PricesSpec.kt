// SPDX-License-Identifier: Apache-2.0
package com.example

import io.kotest.core.spec.style.FunSpec
import org.arbalest.leakcheck.kotest.LeakExtension

// docs/guides/leaks.md shows this class; LeakDocsSoakSpec compares the two.
class PricesSpec : FunSpec({
    extension(LeakExtension())
    test("reads") { Prices.read() }
})
