import type { FastifyInstance, FastifyRequest } from 'fastify'
import fastq from 'fastq'
import type { AroundHook } from '../../types/fastify.js'
import type { Params } from '../../types/service.js'
import { isJSON } from '../core/content.js'
import { type Describable, hooksAround } from '../core/description.js'
import { UnsupportedMediaType } from '../core/errors.js'
import { traitsOf, withTraits } from '../core/hooks.js'
import { callerIn, readVerbs } from '../core/http-call.js'
import { checkOptions, kinds, type OptionTable, registerOptions } from '../core/options.js'
import { serviceHostOf } from '../core/plugin-state.js'
import { resource } from '../core/resource/resource.js'
import { isForLogins, metaOf } from '../core/service-meta.js'
import { type AnyDatabase, beginnerOf } from '../database/begin.js'
import {
  type TransactionalDatabase,
  type TransactionOptions,
  type TransactionParams,
  transaction
} from '../database/transaction.js'
import { type BatchCall, type BatchResult, createRunner, type RunCall, toRoutedCall } from './batched-call.js'

/** Options of the plugin `batch`. */
export interface BatchOptions extends TransactionOptions {
  /** The database whose transaction all calls share: the same object as in `inTransaction(database)`. */
  database: TransactionalDatabase
  /** The names of the services that a batch can call. Each has the hook `inTransaction(database)`. */
  services: readonly string[]
  /** The path of the service. Default `'batch'`. */
  path?: string
  /** How many calls a batch can have. Default 100. */
  maxCalls?: number
  /**
   * How many batches run at the same time in this process. Further ones wait. It must be less than
   * the connections of the pool, because guards may need a second connection. Default 4.
   */
  concurrent?: number
  /** The maximum size of a body in bytes. Default: the `bodyLimit` of the instance. */
  bodyLimit?: number
}

const batchOptions: OptionTable<BatchOptions> = {
  database: kinds.free,
  services: kinds.names,
  path: kinds.filled,
  maxCalls: kinds.whole,
  concurrent: kinds.whole,
  bodyLimit: kinds.whole,
  isolationLevel: kinds.free
}

/**
 * The service of `batch`, for `Services`.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { batch: Batches }
 * }
 */
export interface Batches {
  create(data: { calls: readonly BatchCall[] }, params?: Params): Promise<{ results: BatchResult[] }>
}

/**
 * Registers a service that carries out several calls in one transaction: all of them, or none
 * (docs/transactions.md#several-calls-in-one-request). Each call runs through its own route, with
 * the credentials of the request. If a call fails, the batch fails with its error, whose
 * `data.call` is the index of the call.
 *
 * @throws if an option can't be used; when the server starts, if a service does not exist, is for
 * logins, or has a method that writes outside of a transaction of the database
 * @example
 * await app.register(batch, { database: db, services: ['orders', 'items'] })
 * await client.service('batch').create({ calls: [
 *   { service: 'orders', method: 'create', data: { itemId: 1 } },
 *   { service: 'items', method: 'patch', id: 1, data: { stock: 4 }, ifMatch: 7 }
 * ] })
 */
export async function batch(app: FastifyInstance, options: BatchOptions): Promise<void> {
  checkOptions<BatchOptions>('batch', { ...batchOptions, ...registerOptions }, options)
  const { database, services, path = 'batch', maxCalls = 100, concurrent = 4, bodyLimit, isolationLevel } = options
  beginnerOf(database as AnyDatabase, isolationLevel)
  if (services === undefined || services.length === 0)
    throw new Error("batch needs the names of services that it can call: services: ['orders', 'items']")
  const entries = new Map<string, Describable>()
  const object = createBatches(options, entries, createRunner(app))
  metaOf(object).isBatch = true
  app.service(path, object, {
    methods: ['create'],
    schema: createSchema(services, maxCalls),
    hooks: { around: { create: [createQueue(concurrent)] } },
    ...(bodyLimit !== undefined && { bodyLimit })
  })
  app.addHook('onReady', async () => {
    const entryOf = (name: string) => {
      const service: object = app.service(name)
      return serviceHostOf(app).entries.find((entry) => entry.service === service) as Describable
    }
    checkTransactions(entryOf(path), ['create'], options)
    for (const name of services) {
      const entry = entryOf(name)
      checkService(entry)
      const writes = entry.exposed.filter((method) => !readVerbs.has(entry.methods.get(method)?.definition.verb))
      checkTransactions(entry, writes, options, true)
      entries.set(name, entry)
    }
    checkRepeats(entryOf(path), [...entries.values()])
  })
}

const toClosedSchema = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false
})

/** Creates the schemas of the service. Routes check the data of their calls themselves. */
function createSchema(services: readonly string[], maxCalls: number): object {
  const call = toClosedSchema(
    {
      service: { type: 'string', description: `One of ${services.join(', ')}.` },
      method: { type: 'string', pattern: '^[A-Za-z]\\w*$', maxLength: 100 },
      id: { type: ['string', 'number'] },
      data: {},
      route: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
      ifMatch: { type: ['string', 'number'] }
    },
    ['service', 'method']
  )
  const result = toClosedSchema({ status: { type: 'integer' }, body: {} }, ['status', 'body'])
  const schemas = resource<unknown>(toClosedSchema({ results: { type: 'array', items: result } }, ['results']), {
    create: toClosedSchema({ calls: { type: 'array', items: call, minItems: 1, maxItems: maxCalls } }, ['calls'])
  })
  const summary = 'Carry out several calls in one transaction: all of them, or none'
  return { ...schemas, create: { ...schemas.create, summary } }
}

/**
 * Creates the hook that limits how many batches run at once. It stands outside of all transactions:
 * if as many batches as the pool has connections waited for a second one, all would wait for ever.
 */
function createQueue(concurrent: number): AroundHook {
  const queue = fastq.promise((run: () => Promise<void>) => run(), concurrent)
  const hook: AroundHook = async (context, next) => {
    // The calls have events of their own.
    context.event = null
    await queue.push(next)
  }
  return withTraits(hook, { isOutermost: true })
}

/** @throws {Error} if calls of a service can't be part of a batch */
function checkService({ path, object, service }: Describable): void {
  const reason = metaOf(object).isBatch
    ? 'a batch itself'
    : isForLogins(service)
      ? 'for logins'
      : metaOf(object).mounted !== undefined
        ? 'of another framework'
        : (metaOf(object).isInMemory || 'store' in object) && 'in memory'
  if (reason) throw new Error(`The option \`services\` of batch names '${path}', which is ${reason}: remove it`)
}

/**
 * Checks that methods run in transactions of the same database and level as the batch.
 * @param isNeeded whether they need such a hook
 * @throws {Error} if one does not
 */
function checkTransactions(
  entry: Describable,
  names: readonly string[],
  { database, isolationLevel }: BatchOptions,
  isNeeded = false
): void {
  for (const name of names) {
    const begun = hooksAround(entry, name, ['around']).flatMap((hook) => traitsOf(hook).transaction ?? [])
    const isSame = begun.every((other) => other.database === database && other.isolationLevel === isolationLevel)
    if (isSame && (begun.length > 0 || !isNeeded)) continue
    throw new Error(
      `batch can't roll back '${name}' of '${entry.path}': add the hook inTransaction(database) to its around.all, with the same database and isolationLevel as those of batch`
    )
  }
}

const hasGuard = (entry: Describable, name: string) =>
  hooksAround(entry, name).some((hook) => traitsOf(hook).security?.(entry, name) !== undefined)

/**
 * Checks that `idempotency()` can tell callers from each other. It repeats an answer without the
 * calls, and so without the guards of their services.
 *
 * @throws {Error} if it can't
 */
function checkRepeats(batches: Describable, services: readonly Describable[]): void {
  const hasKeys = hooksAround(batches, 'create').some((hook) => traitsOf(hook).takesKeys !== undefined)
  if (!hasKeys || hasGuard(batches, 'create')) return
  const guarded = services.find((entry) => entry.exposed.some((name) => hasGuard(entry, name)))
  if (guarded === undefined) return
  throw new Error(
    `idempotency() at '${batches.path}' would repeat the answers of '${guarded.path}' to callers who are not logged in: put authenticate() before it`
  )
}

/** Creates the service. It finds the services of calls by their names in the option. */
function createBatches(
  { database, isolationLevel }: BatchOptions,
  entries: ReadonlyMap<string, Describable>,
  runCall: RunCall
): Batches {
  return {
    async create({ calls }, params = {}) {
      const caller = callerIn(params)
      if (caller === undefined)
        throw new Error('batch is for clients, whose credentials its calls have. On the server, use transaction()')
      const request = caller.request as FastifyRequest
      if (!isJSON(request.headers['content-type'] ?? '')) throw new UnsupportedMediaType('A batch is JSON')
      const routed = calls.map((call, index) => toRoutedCall(call, index, entries))
      const runAll = async ({ transaction }: TransactionParams) => {
        const results: BatchResult[] = []
        for (const call of routed) results.push(await runCall(call, caller, transaction))
        caller.throwIfGone()
        return { results }
      }
      return transaction(database, runAll, { ...(isolationLevel && { isolationLevel }), params })
    }
  }
}
