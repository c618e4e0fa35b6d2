// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import org.arbalest.device.internal.read.ColumnImpl;

/** How columns of one field are read as objects of one class. Made once for both, by {@link ReadPlans}. */
@FunctionalInterface
interface ReadPlan {
  ValueReader bind(ColumnImpl column);
}
