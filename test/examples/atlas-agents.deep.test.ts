import t from 'tap'
import { connect } from '../mcp/app.js'
import { examples } from '../openapi/examples.js'

t.test('an agent without a login reads countries and notes, and nothing else', async (t) => {
  const app = await examples.atlas(t)
  const client = await connect(t, new URL('/mcp', await app.listen({ port: 0, host: '127.0.0.1' })))
  const { tools } = await client.listTools()
  t.strictSame(
    tools.map(({ name }) => name),
    ['countries_find', 'countries_get', 'countries_notes_find', 'countries_notes_get']
  )
  const query = { region: 'Africa', landlocked: true, $sort: { area: -1 }, $limit: 1, $select: ['name'] }
  const found = await client.callTool({ name: 'countries_find', arguments: { query } })
  t.match(found.structuredContent, { total: 16, data: [{ name: 'Chad' }] })
  const given = { id: 'PRT', query: { $include: ['neighbours'] } }
  const portugal = await client.callTool({ name: 'countries_get', arguments: given })
  t.match(portugal.structuredContent, { name: 'Portugal', neighbours: [{ name: 'Spain' }] })
})
