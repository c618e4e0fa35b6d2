// SPDX-License-Identifier: Apache-2.0
package com.example;

import org.arbalest.leakcheck.junit.NoLeaks;
import org.junit.jupiter.api.Test;

// docs/guides/leaks.md shows this class; LeakDocsSoakSpec compares the two.
@NoLeaks
class PricesTest {
  @Test
  void reads() { Prices.read(); }
}
