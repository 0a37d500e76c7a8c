import { adapterSuite } from 'fastify-services/testing'
import type { Test } from 'tap'
import type { Adapter } from './adapter-doors.js'
import { membersOfFeathers } from './adapter-members.js'

/** What every database adapter must do when it is mounted as it is: over HTTP and in the server, one suite for all. */
export async function adapterContract(t: Test, adapter: Adapter): Promise<void> {
  const { name, isOfFeathers = false } = adapter
  await t.test(`${name}: the suite of adapters`, (t) =>
    adapterSuite((title, run) => t.test(title, run), {
      create: (options) => adapter.create(t, options),
      hasAllOperators: !isOfFeathers
    })
  )
  if (isOfFeathers) await membersOfFeathers(t, adapter)
}
