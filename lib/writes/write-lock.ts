import { AsyncLocalStorage } from 'node:async_hooks'
import { Unavailable } from '../core/errors.js'

/** The last write that has asked for a lock, and the end of all writes before and in it. */
interface Queue {
  last: { readonly write: LockedWrite; readonly end: Promise<unknown> } | undefined
}

/** A write that holds the lock of a record, or waits for it. */
interface LockedWrite {
  readonly object: object
  readonly key: string
  /** The write that has called this one, unless it was over. */
  outer: LockedWrite | undefined
  /** The write before this one, and the writes that it calls itself. */
  readonly waitsFor: Set<LockedWrite>
  /** The writes of the same record that this one calls itself. */
  readonly inner: Queue
  isOver: boolean
}

const currentWrite = new AsyncLocalStorage<LockedWrite>()
/** The locks that are held, by object and key. */
const queues = new Map<object, Map<string, Queue>>()

/** Returns a write and its callers that still run. */
function callersOf(write: LockedWrite | undefined): LockedWrite[] {
  if (write === undefined) return []
  while (write.outer?.isOver) write.outer = write.outer.outer
  return write.isOver ? callersOf(write.outer) : [write, ...callersOf(write.outer)]
}

/** Returns whether a write ends only after one of others has ended. */
function dependsOn(write: LockedWrite, others: readonly LockedWrite[]): boolean {
  const reached = new Set([write])
  for (const next of reached) {
    if (others.includes(next)) return true
    for (const further of next.waitsFor) reached.add(further)
  }
  return false
}

function queueOf(object: object, key: string): Queue {
  const queuesOfObject = queues.get(object) ?? new Map<string, Queue>()
  const queue = queuesOfObject.get(key) ?? { last: undefined }
  queues.set(object, queuesOfObject.set(key, queue))
  return queue
}

function removeQueue(object: object, key: string): void {
  const queuesOfObject = queues.get(object)
  queuesOfObject?.delete(key)
  if (queuesOfObject?.size === 0) queues.delete(object)
}

/**
 * Runs a write while no other write of the same object runs under the same key. Writes of that
 * record that it calls itself run within its lock, one after the other, and the next write waits
 * for all of them, awaited or not.
 *
 * @throws {Unavailable} for a deadlock: two writes, each of which would wait for the other
 */
export async function withWriteLock<T>(object: object, key: string, run: () => Promise<T>): Promise<T> {
  const callers = callersOf(currentWrite.getStore())
  const holder = callers.find((caller) => caller.object === object && caller.key === key)
  const queue = holder?.inner ?? queueOf(object, key)
  const before = queue.last
  if (before !== undefined && dependsOn(before.write, callers))
    throw new Unavailable('Another call was busy with the same records: try again', { retryAfter: 1 })
  const [outer] = callers
  const waitsFor = new Set(before && [before.write])
  const write: LockedWrite = { object, key, outer, waitsFor, inner: { last: undefined }, isOver: false }
  outer?.waitsFor.add(write)
  const begin = () => {
    waitsFor.clear()
    return currentWrite.run(write, run)
  }
  const running = Promise.resolve(before?.end)
    .then(begin)
    .finally(() => {
      write.isOver = true
      // Of the writes that it has called, only those of the same record hold its lock.
      waitsFor.clear()
      if (write.inner.last !== undefined) waitsFor.add(write.inner.last.write)
    })
  const end = running
    .catch(() => {})
    .then(() => write.inner.last?.end)
    .then(() => {
      outer?.waitsFor.delete(write)
      if (queue.last?.write !== write) return
      queue.last = undefined
      if (holder === undefined) removeQueue(object, key)
    })
  queue.last = { write, end }
  return running
}
