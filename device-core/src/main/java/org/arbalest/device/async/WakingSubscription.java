// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.concurrent.Flow;

/**
 * A subscription whose {@link #request} only notes what is wanted, and wakes whoever waits for it: it does not block,
 * and gives no signal before it returns. So it may be called on the thread on which a consumer of ours asks for more
 * (ASY-04); for others a thread of the executor has to be woken first. A signal that it gives all the same is not
 * passed on there, but by the executor; what it throws ends the stream.
 *
 * <p>{@link #request} may come from several threads at a time, and as soon as the subscriber knows of it: before
 * {@code onSubscribe} has returned.
 */
public interface WakingSubscription extends Flow.Subscription {}
