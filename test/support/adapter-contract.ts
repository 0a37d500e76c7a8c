import type { Test } from 'tap'
import type { Adapter } from './adapter-doors.js'
import { endpointsContract } from './adapter-endpoints.js'
import { membersContract } from './adapter-members.js'
import { queriesContract } from './adapter-queries.js'

/** What every database adapter must do when it is mounted as it is: over HTTP and in the server, one suite for all. */
export async function adapterContract(t: Test, adapter: Adapter): Promise<void> {
  await t.test(`${adapter.name}: endpoints`, (t) => endpointsContract(t, adapter))
  await t.test(`${adapter.name}: queries`, (t) => queriesContract(t, adapter))
  await t.test(`${adapter.name}: errors, events, members`, (t) => membersContract(t, adapter))
}
