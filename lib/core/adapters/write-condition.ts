import type { HookContext, NextFunction } from '../../../types/hooks.js'
import type { Params } from '../../../types/service.js'
import { readProperty } from '../errors.js'
import { type Builder, isKnexAdapter, type KnexAdapter, paramsWithBuilders } from './knex.js'
import { type TableCondition, TableService, type WriteOutcome } from './table.js'

/** The value that a column must have, in the statement of a write. */
interface WriteCondition {
  readonly column: string
  readonly value: unknown
}

/** Whether the writes of a service take a condition into their statement. */
export const takesConditions = (object: object): object is TableService | KnexAdapter =>
  object instanceof TableService || isKnexAdapter(object)

/**
 * Runs a write of an adapter, which changes the record only if a column has a value.
 *
 * @returns the outcome of its statement. The error of a statement that changed nothing is dropped
 */
export async function conditionalWrite(
  context: HookContext,
  adapter: TableService | KnexAdapter,
  condition: WriteCondition,
  next: NextFunction
): Promise<WriteOutcome> {
  const { params } = context
  const statement =
    adapter instanceof TableService ? tableStatement(params, condition) : knexStatement(params, adapter, condition)
  context.params = statement.params
  try {
    await next()
  } catch (error) {
    if (statement.outcome() !== 'has changed nothing') throw error
  } finally {
    // Hooks further out may pass the params on to other services.
    context.params = params
  }
  return statement.outcome()
}

function tableStatement(params: Params, { column, value }: WriteCondition) {
  // A column may have microseconds, which a Date lacks.
  const isValue = value instanceof Date ? { $gte: value, $lt: new Date(value.getTime() + 1) } : value
  const condition: TableCondition = { where: { [column]: isValue }, outcome: 'has not run' }
  return { params: { ...params, adapter: { ...Object(params.adapter), condition } }, outcome: () => condition.outcome }
}

/**
 * The builders of the adapter for knex add the condition to `update` and `delete`. A condition in
 * the query would not be part of the statement, since the adapter selects the ids before it writes.
 */
function knexStatement(params: Params, adapter: KnexAdapter, condition: WriteCondition) {
  let outcome: WriteOutcome = 'has not run'
  const settle = (isDone: boolean) => {
    outcome = isDone ? 'has changed the record' : 'has changed nothing'
  }
  const restrict = (builder: Builder): Builder => {
    const { then } = builder
    for (const name of ['update', 'delete'] as const) {
      const write = builder[name]
      builder[name] = (...args) => {
        // biome-ignore lint/suspicious/noThenProperty: awaiting a builder runs its statement
        builder.then = (resolve, reject) => runConditional(then.bind(builder), settle).then(resolve, reject)
        return addCondition(write.apply(builder, args), condition)
      }
    }
    return builder
  }
  return { params: paramsWithBuilders(params, adapter, restrict), outcome: () => outcome }
}

function addCondition(builder: Builder, { column, value }: WriteCondition): Builder {
  if (!(value instanceof Date)) return builder.where(column, value === null ? 'is' : '=', value)
  // A column may have microseconds, which a Date lacks.
  return builder.where((range) => {
    range.where(column, '>=', value).where(column, '<', new Date(value.getTime() + 1))
  })
}

/** Runs a write. @throws if it has changed nothing, so that the adapter stops */
async function runConditional(then: Builder['then'], settle: (isDone: boolean) => void): Promise<unknown> {
  const result = await then((result) => result)
  const isDone = countOf(result) !== 0
  settle(isDone)
  if (!isDone) throw new Error('No record has this value')
  return result
}

/**
 * Returns how many records a statement has changed, by its result: a number, records or an object.
 */
function countOf(result: unknown): unknown {
  if (Array.isArray(result)) return result.length
  return typeof result === 'object' ? readProperty(result, 'rowCount') : result
}
