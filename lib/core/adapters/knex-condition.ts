import type { Params } from '../../../types/service.js'
import { readProperty } from '../errors.js'
import { type Builder, type KnexAdapter, paramsWithBuilders } from './knex.js'

/** A condition of the statement of a write. */
interface Condition {
  readonly column: string
  /** The value that the column has. */
  readonly value: unknown
}

/** The outcome of a statement with a condition. */
type Outcome = 'has not run' | 'has changed nothing' | 'has changed the record'

/**
 * Creates params with which the adapter for knex changes a record only if a condition is met: its
 * builders add the condition to `update` and `delete`. A condition in the query would not be part
 * of the statement, since the adapter selects the ids before it writes.
 *
 * @returns the params, and a function that returns the outcome of the statement
 */
export function conditionalParams(params: Params, adapter: KnexAdapter, condition: Condition) {
  let outcome: Outcome = 'has not run'
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

function addCondition(builder: Builder, { column, value }: Condition): Builder {
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
