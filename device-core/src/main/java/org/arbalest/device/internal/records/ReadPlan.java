// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import org.arbalest.device.internal.read.ColumnImpl;

/** A plan to read columns of one field as objects of one class. {@link ReadPlans} creates it once for both. */
@FunctionalInterface
interface ReadPlan {
  ValueReader bind(ColumnImpl column);
}
