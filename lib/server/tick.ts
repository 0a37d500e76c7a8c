import { executionAsyncResource } from 'node:async_hooks'

/**
 * An object of those that `process.nextTick` makes, kept for the life of the process. V8 drops the
 * hidden class of these objects when a full collection finds none of them, as in a server that is
 * idle after its start. The code that makes them has been tied to that class, and is slow from then
 * on: a request would cost half as much again. It is exported because a module keeps only what it
 * exports.
 */
export const retained: object[] = []

process.nextTick(() => retained.push(executionAsyncResource()))
