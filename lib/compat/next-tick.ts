/**
 * Keeps one object of `process.nextTick` alive for the life of the process.
 *
 * V8 drops the hidden class of these objects when a full collection finds none of them, as in a
 * server that is idle after its start. Node's compiled `nextTick` depends on that class, so every
 * later request is slower: 23 µs of CPU became 27 to 47 for a small GET. Node has no public way to
 * prevent it. Seen in Node 20 to 26; `test/server/tick.test.ts` fails once the object is not
 * needed.
 */
import { executionAsyncResource } from 'node:async_hooks'

/** Exported because V8 frees the other values of a module. */
export const retained: object[] = []

process.nextTick(() => retained.push(executionAsyncResource()))
