/** Benchmarks against arrow-java. */
@NullMarked
package org.arbalest.benchmarks;

import org.jspecify.annotations.NullMarked;
