import type { ServiceOptions } from 'fastify-services'
import type { SuiteOptions } from 'fastify-services/testing'
import type { Test } from 'tap'
import { type Door, type Mounted, mount as mountService } from '../../lib/testing/doors.js'

/** A database adapter, with a store of records that have `id`, `text`, `author` and `at`. */
export interface Adapter {
  readonly name: string
  /** Whether it is a database adapter of Feathers, with the members that its hooks use. Default: one of ours. */
  readonly isOfFeathers?: boolean
  /** A service on an empty store, made as its documentation makes one. */
  create(t: Test, options?: SuiteOptions): Promise<object>
}

/** What was thrown; a call that answers is an error of the test. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error) => ({ error })
  )
  if ('error' in outcome) return outcome.error
  throw new Error(`It answered ${JSON.stringify(outcome.result)}`)
}

/** An adapter mounted unchanged at `/messages` of a server of its own, closed when the test ends. */
export async function mount(t: Test, object: object, options: ServiceOptions<object> = {}): Promise<Mounted> {
  const mounted = await mountService(object, options)
  t.teardown(() => mounted.app.close())
  return mounted
}

/** A test for each door, with four records (ids 1 to 4) in a store of its own. */
export async function eachDoor(
  t: Test,
  adapter: Adapter,
  options: SuiteOptions,
  run: (t: Test, door: Door, mounted: Mounted) => Promise<void>,
  serviceOptions: ServiceOptions<object> = {}
): Promise<void> {
  for (const index of [0, 1] as const) {
    const object = await adapter.create(t, options)
    const { create } = object as { create(data: object): Promise<unknown> }
    for (const text of ['one', 'two', 'three', 'four']) await create.call(object, { text })
    const mounted = await mount(t, object, serviceOptions)
    const door = mounted.doors[index]
    await t.test(index === 0 ? 'over HTTP' : 'in the server', (t) => run(t as Test, door, mounted))
  }
}
