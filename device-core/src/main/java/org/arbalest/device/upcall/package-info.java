/** The C functions that call back into the JVM: how they are made, what becomes of them when the JVM is over, and where their failures go. */
@NullMarked
package org.arbalest.device.upcall;

import org.jspecify.annotations.NullMarked;
