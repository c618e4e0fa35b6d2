// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The validation of an array's content. */
@Name("org.arbalest.Validation")
@Label("Array Validation")
@Description("The content of an array was validated")
@Category("Arbalest")
@Threshold("10 ms")
final class ValidationEvent extends ArrayEvent {}
