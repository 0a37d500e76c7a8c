import type { StoredEntry } from './entries.js'

/** How many entries are read in one step. */
export const pageSize = 100

/** Events that are given to a log in one step. */
export interface EventBatch {
  /** By which the server knows it again, when it is sent a second time. */
  readonly number: number
  /** As JSON. */
  readonly events: readonly string[]
  /** Whether events were given up before it. */
  readonly isLoss: boolean
}

/** The error of a server that lacks what the log needs there. To wait does not help. */
export class UnpreparedServer extends Error {}

/**
 * A server that several processes share, as the place of a log: what it does is done in one step,
 * in the same order for all of them.
 */
export interface LogServer {
  /** How messages name it. */
  readonly name: string
  /**
   * Adds a batch, behind what transactions that are committed have written. One whose number it
   * knows is there already. A process that the others have given up tells them to read anew.
   */
  append(process: string, batch: EventBatch): Promise<unknown>
  /** Whether an error of `append` says that the batch will never be taken. */
  isRefusal?(error: unknown): boolean
  /**
   * Writes events in a transaction, of which the next batch or sign of any process takes them.
   * `undefined` where that can't be done.
   */
  appendWithin?(transaction: object, events: readonly string[]): Promise<unknown> | undefined
  /**
   * A sign of life.
   *
   * @param batches the number of the last batch of the process that is in the log; -1 where a
   * further one may be
   * @param hasSigned whether it has given a sign before
   * @returns the newest position
   */
  sign(process: string, batches: number, hasSigned: boolean): Promise<string>
  /**
   * Says goodbye, behind all that the process has sent before, though it may have given up waiting
   * for the answer.
   */
  leave(process: string): Promise<unknown>
  /** Whether a text may be a position. */
  isPosition(text: string): boolean
  isOlder(position: string, other: string): boolean
  /** A page of the entries between two positions: behind the first, up to the second. */
  range(after: string, end: string): Promise<readonly StoredEntry[]>
  /**
   * Waits for entries behind a position, for a second at most, over a connection of its own.
   *
   * @throws soon, where the connection does not answer: it may be gone without a word, and the next
   * question takes a new one
   */
  next(after: string): Promise<readonly StoredEntry[]>
  /** Adds a listener to the end of the connection that waits for entries. */
  onAway(listener: (error: unknown) => void): void
  /** Ends that connection. */
  disconnect(): void
}
