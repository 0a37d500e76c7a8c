import t from 'tap'
import { contract, nothing } from '../support/client-contract.js'
import { createDrivers } from '../support/client-drivers.js'
import { type Column, print } from '../support/client-table.js'
import { servers } from '../support/interop-servers.js'

/** What a row expects of our clients: an answer without a body is `null`. */
const expectedOf = (expected: unknown): unknown =>
  Array.isArray(expected) ? expected.map(expectedOf) : expected === nothing ? null : expected

t.test('our client: every adapter on every server', async (t) => {
  const columns: Column[] = []
  const drivers = await createDrivers(t)
  for (const [server, serve] of Object.entries(servers)) {
    const base = await serve(t)
    for (const driver of drivers) {
      const kept = new Map<string, boolean>()
      columns.push({ adapter: driver.adapter, server, kept })
      for (const row of contract) {
        const found = await driver.keep(row, base).catch((error) => ({ failed: String(error) }))
        kept.set(
          row.name,
          t.match(found, expectedOf(row.expected) as object, `${driver.adapter}, ${server}: ${row.name}`)
        )
      }
    }
  }
  t.comment(print(columns))
})
