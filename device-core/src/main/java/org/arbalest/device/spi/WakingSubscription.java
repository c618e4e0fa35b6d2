package org.arbalest.device.spi;

import java.util.concurrent.Flow;

/**
 * A subscription whose {@link #request} only notes what is wanted, and wakes whoever waits for it: it does not block, and gives no signal before it
 * returns. So it may be called on the thread on which a consumer of ours asks for more (ASY-04), where others are asked by the executor's, which first
 * has to be woken for it.
 *
 * <p>{@link #request} may come from several threads at a time.
 */
public interface WakingSubscription extends Flow.Subscription {}
