// SPDX-License-Identifier: Apache-2.0
package com.example;

import org.arbalest.leakcheck.junit.NoLeaks;
import org.junit.jupiter.api.Test;

// docs/ownership.md has this, and LeakDocsSoakSpec holds it to it.
@NoLeaks
class PricesTest {
  @Test
  void reads() { Prices.read(); }
}
