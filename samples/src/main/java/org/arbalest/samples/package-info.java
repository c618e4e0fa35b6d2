/** Programs that a newcomer runs first. */
@NullMarked
package org.arbalest.samples;

import org.jspecify.annotations.NullMarked;
