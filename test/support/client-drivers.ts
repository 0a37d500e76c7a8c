import { createRequire } from 'node:module'
import axios from 'axios'
import superagent from 'superagent'
import { executablePath, sharePage } from './chromium.js'
import { type AdapterName, type Api, createApi } from './client-api.js'
import type { Row } from './client-contract.js'

/** Runs scenarios with one adapter and its real library. */
export interface Driver {
  readonly adapter: AdapterName
  /** A scenario for the page is sent as text: it may use its parameters alone, and its result comes back as JSON. */
  run<A, R>(scenario: (api: Api, argument: A) => Promise<R>, argument: A): Promise<R>
  /** Runs a row of the contract against a server. */
  keep(row: Row, base: string): Promise<unknown>
}

// An `import` of it would print that it is deprecated.
const request = createRequire(import.meta.url)('request') as unknown

const driverInNode = (adapter: AdapterName, library: unknown): Driver => {
  const api = createApi(adapter, library)
  return {
    adapter,
    async run(scenario, argument) {
      const result = await scenario(api, argument)
      return result === undefined ? result : JSON.parse(JSON.stringify(result))
    },
    keep: ({ run }, base) => run(api.app(base), api.outcome)
  }
}

/** The adapters that run in Node, with their libraries. */
export const inNode: readonly [AdapterName, unknown][] = [
  ['fetch', fetch],
  ['axios', axios],
  ['superagent', superagent],
  ['request', request]
]

/** The four adapters that run in Node, and jQuery in Chromium where there is one. */
export async function createDrivers(): Promise<Driver[]> {
  const drivers = inNode.map(([adapter, library]) => driverInNode(adapter, library))
  if (executablePath === undefined) return drivers
  const page = await sharePage()
  const jquery: Driver = {
    adapter: 'jquery',
    run: (scenario, argument) => page.evaluate(`(${scenario})(globalThis.api, ${JSON.stringify(argument)})`),
    keep: ({ run }, base) => page.evaluate(`(${run})(globalThis.api.app('${base}'), globalThis.api.outcome)`)
  }
  return [...drivers, jquery]
}
