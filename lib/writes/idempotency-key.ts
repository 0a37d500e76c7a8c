import { randomUUID } from 'node:crypto'

import type { HookContext } from '../../types/fastify.js'
import type { Http } from '../../types/hooks.js'
import { pause } from '../core/async.js'
import { attempt, Conflict, GeneralError, Unprocessable } from '../core/errors.js'
import { isObject } from '../core/objects.js'
import { freeOwnKey, renewKey, type Store, type TransactionalStore } from '../core/store.js'
import type { CommitEnd } from '../database/commit.js'

/** The value of a key in the store. */
interface StoredRequest {
  /** The digest of the request. */
  readonly request: string
  /** Absent while the request runs, `null` if its answer was not kept. */
  readonly answer?: StoredAnswer | null
}

export interface StoredAnswer {
  readonly result: unknown
  readonly http: Http
}

/**
 * The pauses between retries, in ms, of freeing a key or of keeping an answer: a store that hangs
 * may carry out the first attempt much later.
 */
const retryPauses = [1000, 4000, 15_000, 60_000, 120_000]

/** The most retries at a time. Other keys end by their time. */
const maxRetries = 1000

/** The keys of one hook, in its store. */
export interface IdempotencyKeys {
  readonly store: Store
  /** For how long the key of a running request is locked, in seconds. */
  readonly lock: number
  /** For how long an answer is kept, in seconds. */
  readonly seconds: number
  /**
   * The keys for which a command of the store is repeated. This process replays their answers, even
   * if the store has lost the keys.
   */
  readonly retried: Map<string, string | undefined>
}

/** The key of a call in the store. */
export class IdempotencyKey {
  readonly #context: HookContext
  readonly #keys: IdempotencyKeys
  readonly #store: Store
  readonly #name: string
  readonly #request: string
  /** The value of the key while the request runs. Two equal requests have different holders. */
  readonly #lockValue: string
  #endRenewal = async () => {}

  /** @param request the digest of the request */
  constructor(context: HookContext, keys: IdempotencyKeys, name: string, request: string) {
    this.#context = context
    this.#keys = keys
    this.#store = keys.store
    this.#name = name
    this.#request = request
    this.#lockValue = JSON.stringify({ request, holder: randomUUID() })
  }

  /**
   * Locks the key for the request, or returns the answer that was kept for it. The lock is renewed
   * until the end of the call.
   * @throws {Conflict} while the first request runs, {Unprocessable} if the key came with another
   * request
   */
  async claim(): Promise<StoredAnswer | undefined> {
    const text = this.#keys.retried.get(this.#name) ?? (await this.#add())
    // A client of the store that repeats a command without an answer finds its own value.
    if (text === this.#lockValue) {
      this.#endRenewal = renewKey(this.#store, this.#name, this.#lockValue, this.#keys.lock)
      return undefined
    }
    const { path, method } = this.#context
    const stillRuns = `'${method}' of '${path}' still runs for this Idempotency-Key: try again`
    // Another request has just freed the key.
    if (!text) throw new Conflict(stillRuns)
    const entry = attempt<StoredRequest>(() => JSON.parse(text))
    if (!isObject(entry)) throw new GeneralError(`The store of idempotency has lost what it keeps for '${path}'`)
    if (entry.request !== this.#request)
      throw new Unprocessable(`This Idempotency-Key came with another request: each call needs a new one`)
    if (entry.answer === undefined) throw new Conflict(stillRuns)
    if (entry.answer === null) throw new Conflict(`This request was carried out, and its answer was not kept`)
    return entry.answer
  }

  /**
   * Keeps the answer, or frees the key if the call was not carried out.
   * @param isDone whether it was carried out. `undefined` if nobody knows, or if the answer is kept
   * already: then the key stays as it is
   */
  async end(isDone: CommitEnd, answer?: StoredAnswer | null): Promise<void> {
    await this.#endRenewal()
    if (isDone) return this.#keep(answer)
    if (isDone === false) return this.#free()
  }

  /**
   * Keeps the answer in the transaction of the call.
   *
   * @returns whether the store can do that
   * @throws {Conflict} if the key is locked by another request: another process may have carried
   * the call out, so the transaction must not be committed
   */
  async keepWithin(transaction: object, answer: StoredAnswer | null): Promise<boolean> {
    await this.#endRenewal()
    const { replaceWithin } = this.#store as TransactionalStore
    if (replaceWithin === undefined) return false
    const { seconds } = this.#keys
    try {
      if (await replaceWithin(transaction, this.#name, this.#lockValue, this.#toText(answer), seconds)) return true
      throw new Conflict('The Idempotency-Key of this request has gone to another one: try again')
    } catch (error) {
      await this.#free()
      throw error
    }
  }

  /** Adds the key to the store, or returns the value that it has there. */
  async #add(): Promise<string | null | undefined> {
    try {
      const isAdded = await this.#store.add?.(this.#name, this.#lockValue, this.#keys.lock)
      return isAdded ? this.#lockValue : await this.#store.get(this.#name)
    } catch (error) {
      // A command that has failed may be carried out later.
      void this.#free()
      throw error
    }
  }

  /** Frees the key, unless another request has it. If that fails, it is tried again later. */
  async #free(): Promise<void> {
    const free = () => freeOwnKey(this.#store, this.#name, this.#lockValue)
    if (!(await free())) void this.#retry(free)
  }

  /**
   * Keeps the answer. If that fails, it is tried again later. The call is done, so it must not fail:
   * in other processes a repeated request gets 409 until the store has the answer, or the lock ends.
   */
  async #keep(answer: StoredAnswer | null | undefined): Promise<void> {
    const text = this.#toText(answer)
    const set = async () => this.#store.set(this.#name, text, this.#keys.seconds)
    const keep = async () => {
      const current = await this.#store.get(this.#name)
      if (!current || current === this.#lockValue) await set()
      return true
    }
    await set().catch((err) => {
      void this.#retry(keep, text)
      const { app, method, path } = this.#context
      app.log.error({ err }, `The answer of '${method}' of '${path}' could not be kept for its Idempotency-Key`)
    })
  }

  #toText(answer: StoredAnswer | null | undefined): string {
    return JSON.stringify({ request: this.#request, answer })
  }

  /** Repeats a command, and replays the answer of the request meanwhile, if there is one. */
  async #retry(command: () => Promise<boolean>, answer?: string): Promise<void> {
    const { retried } = this.#keys
    if (retried.size >= maxRetries) return
    retried.set(this.#name, answer)
    await retryLater(command)
    // The next request with the key may have an answer by now.
    if (retried.get(this.#name) === answer) retried.delete(this.#name)
  }
}

/** Repeats a command until it returns `true`. An error means that the store can't be reached. */
async function retryLater(command: () => Promise<boolean>): Promise<void> {
  for (const milliseconds of retryPauses) {
    await pause(milliseconds)
    if (await command().catch(() => false)) break
  }
}
