// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The import of an array from native code: its structs were moved and checked. */
@Name("org.arbalest.Import")
@Label("Array Import")
@Description("An array was imported from C: its structs were moved and checked")
@Category("Arbalest")
@Threshold("1 ms")
final class ImportEvent extends ArrayEvent {}
