// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The export of an array to native code. */
@Name("org.arbalest.Export")
@Label("Array Export")
@Description("An array was exported to C")
@Category("Arbalest")
@Threshold("1 ms")
final class ExportEvent extends ArrayEvent {}
