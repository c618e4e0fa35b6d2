// SPDX-License-Identifier: Apache-2.0
/** Who holds what: shared counts, handles that were never closed, what the ledger sums. */
@NullMarked
package org.arbalest.device.internal.lifetime;

import org.jspecify.annotations.NullMarked;
