// SPDX-License-Identifier: Apache-2.0
package com.example

import io.kotest.core.spec.style.FunSpec
import org.arbalest.leakcheck.kotest.LeakExtension

// docs/ownership.md has this, and LeakDocsSoakSpec holds it to it.
class PricesSpec : FunSpec({
    extension(LeakExtension())
    test("reads") { Prices.read() }
})
