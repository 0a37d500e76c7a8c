import type { Params } from '../../../types/service.js'
import { readProperty } from '../errors.js'
import { isAdapter } from './feathers.js'

/** A query builder of knex, as far as it is used here. */
export interface Builder {
  update(...args: unknown[]): Builder
  delete(...args: unknown[]): Builder
  where(condition: (builder: Builder) => void): Builder
  where(column: string, operator: string, value: unknown): Builder
  then(resolve?: (result: unknown) => unknown, reject?: (error: unknown) => unknown): Promise<unknown>
}

/** A function that makes query builders: `knex`, or a transaction. */
interface Knex {
  (...args: unknown[]): Builder
  withSchema(schema: string): Builder
  /** Passes a transaction to the function, or returns a promise of one without a function. */
  transaction(...args: unknown[]): Promise<unknown>
}

/** The database adapter `@feathersjs/knex`. */
export interface KnexAdapter {
  getModel(params: Params): Knex
}

/** Whether a service is `@feathersjs/knex`, or of a class that extends it. */
export const isKnexAdapter = (object: object): object is KnexAdapter =>
  isAdapter(object) &&
  ['knexify', 'createQuery', 'getModel'].every((name) => typeof readProperty(object, name) === 'function')

/**
 * Creates params with which `@feathersjs/knex` changes its query builders.
 *
 * @param change takes each builder of the call, and returns it
 */
export function paramsWithBuilders(
  params: Params,
  adapter: KnexAdapter,
  change: (builder: Builder) => Builder
): Params {
  const changeAll = (knex: Knex): Knex =>
    new Proxy(knex, {
      apply: (target, self, args) => change(Reflect.apply(target, self, args)),
      get: (target, name) => {
        if (name === 'withSchema') return (schema: string) => change(target.withSchema(schema))
        if (name === 'transaction')
          return (work: unknown, ...rest: unknown[]) =>
            typeof work === 'function'
              ? target.transaction((trx: Knex) => work(changeAll(trx)), ...rest)
              : target.transaction(work, ...rest).then((trx) => changeAll(trx as Knex))
        return Reflect.get(target, name)
      }
    })
  const { transaction } = params as { transaction?: { trx?: Knex } }
  return {
    ...params,
    adapter: { ...Object(params.adapter), Model: changeAll(adapter.getModel(params)) },
    ...(transaction?.trx && { transaction: { ...transaction, trx: changeAll(transaction.trx) } })
  }
}
