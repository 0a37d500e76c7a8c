import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { HookContext, Http } from '../../types/hooks.js'
import { attempt, Conflict, GeneralError, Unprocessable } from '../core/errors.js'
import { isObject } from '../core/objects.js'
import { freeOwnKey, type Store, type TransactionalStore } from '../core/store.js'

/** What is stored for a key. */
interface StoredRequest {
  /** Tells one request from another. */
  readonly request: string
  /** Absent while the request runs, `null` where it was not kept. */
  readonly answer?: StoredAnswer | null
}

export interface StoredAnswer {
  readonly result: unknown
  readonly http: Http
}

/**
 * When a key is looked for again that could not be given free, or whose answer could not be kept,
 * in ms: a store that stands still may take it when it goes on, long after it was asked to.
 */
const laterLooks = [1000, 4000, 15_000, 60_000, 120_000]

/**
 * How many keys of a store are looked for again at a time that are to be free, and how many whose
 * answers are to be kept. Others end by their time.
 */
const mostLooks = 1000
const looks = new WeakMap<Store, number>()
/**
 * The answers that a store has not taken yet, by their keys: this process has them meanwhile,
 * whatever became of the keys.
 */
const unkept = new WeakMap<Store, Map<string, string>>()

/** The key of a request in the store. */
export class IdempotencyKey {
  /**
   * What stands there while the request runs, with its holder: of two requests that are the same
   * each has another.
   */
  readonly claimed: string
  readonly #store: Store
  readonly #name: string
  readonly #request: string
  readonly #lock: number

  constructor(store: Store, name: string, request: string, lock: number) {
    this.claimed = JSON.stringify({ request, holder: randomUUID() })
    this.#store = store
    this.#name = name
    this.#request = request
    this.#lock = lock
  }

  /**
   * Takes the key for the request, or returns what was kept for it.
   * @throws {Conflict} while the first request runs, {Unprocessable} where that was another one
   */
  async claim(context: HookContext): Promise<StoredAnswer | undefined> {
    const unkeptText = unkept.get(this.#store)?.get(this.#name)
    if (unkeptText === undefined && (await this.#take((store) => store.add?.(this.#name, this.claimed, this.#lock))))
      return undefined
    const text = unkeptText ?? (await this.#take((store) => store.get(this.#name)))
    // A client of the store that asks again where it got no answer is told that the key has a
    // value: its own.
    if (text === this.claimed) return undefined
    if (!text) {
      // Since `add` has failed, another process has just given the key free.
      if (this.#store.add) throw stillRuns(context)
      await this.#take((store) => store.set(this.#name, this.claimed, this.#lock))
      return undefined
    }
    const entry = attempt<StoredRequest>(() => JSON.parse(text))
    if (!isObject(entry))
      throw new GeneralError(`The store of idempotency has lost what it keeps for '${context.path}'`)
    if (entry.request !== this.#request)
      throw new Unprocessable(`This Idempotency-Key came with another request: each call needs a new one`)
    if (entry.answer === undefined) throw stillRuns(context)
    if (entry.answer === null) throw new Conflict(`This request was carried out, and its answer was not kept`)
    return entry.answer
  }

  /**
   * Gives the key free of a request that was not carried out, unless another one has it: also where
   * the store does what it was asked for later.
   */
  async giveFree(): Promise<void> {
    const free = () => freeOwnKey(this.#store, this.#name, this.claimed)
    if (!(await free())) void this.#giveFreeLater(free)
  }

  /**
   * Keeps the answer of the request, which was carried out: also once a store that is away is back.
   * @throws what the store says where it is not kept yet
   */
  async keep(answer: StoredAnswer | null | undefined, seconds: number): Promise<void> {
    const text = JSON.stringify({ request: this.#request, answer })
    const set = async () => this.#store.set(this.#name, text, seconds)
    try {
      await set()
    } catch (error) {
      void this.#keepLater(text, set)
      throw error
    }
  }

  /**
   * Keeps the answer in the transaction of the call.
   *
   * @returns whether the store can do that
   * @throws {Conflict} if the key is no longer that of the request: another process may have
   * carried it out, so the transaction must not be committed
   */
  async keepWithin(transaction: object, answer: StoredAnswer | null, seconds: number): Promise<boolean> {
    const { replaceWithin } = this.#store as TransactionalStore
    if (replaceWithin === undefined) return false
    const text = JSON.stringify({ request: this.#request, answer })
    if (await replaceWithin(transaction, this.#name, this.claimed, text, seconds)) return true
    throw new Conflict('The Idempotency-Key of this request has gone to another one: try again')
  }

  /** Asks the store for the key. What has failed may be done there later. */
  async #take<T>(ask: (store: Store) => T): Promise<Awaited<T>> {
    try {
      return await ask(this.#store)
    } catch (error) {
      void this.giveFree()
      throw error
    }
  }

  async #giveFreeLater(free: () => Promise<boolean>): Promise<void> {
    const running = looks.get(this.#store) ?? 0
    if (running >= mostLooks) return
    looks.set(this.#store, running + 1)
    await tryLater(free)
    looks.set(this.#store, (looks.get(this.#store) as number) - 1)
  }

  async #keepLater(text: string, set: () => Promise<unknown>): Promise<void> {
    const answers = unkept.get(this.#store) ?? new Map()
    if (answers.size >= mostLooks) return
    unkept.set(this.#store, answers.set(this.#name, text))
    await tryLater(async () => {
      const current = await this.#store.get(this.#name)
      if (!current || current === this.claimed) await set()
      return true
    })
    answers.delete(this.#name)
  }
}

/** @param done says whether it is done. What it throws is that of a store that is away */
async function tryLater(done: () => Promise<boolean>): Promise<void> {
  for (const wait of laterLooks) {
    await pause(wait, undefined, { ref: false })
    if (await done().catch(() => false)) break
  }
}

export const stillRuns = ({ path, method }: HookContext) =>
  new Conflict(`'${method}' of '${path}' still runs for this Idempotency-Key: try again`)
