import Fastify from 'fastify'
import services, { commonOperators, resource, type ServiceOptions } from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import type { Test } from 'tap'

/** What docs/resource.md says of fields that are lists, and of lists in a list. */
const schema = resource({
  type: 'object',
  properties: {
    id: { type: 'integer', readOnly: true },
    title: { type: 'string' },
    labels: { type: 'array', items: { type: 'string' } }
  },
  required: ['title', 'labels']
})

const labelled = [
  { title: 'one', labels: ['a', 'b'] },
  { title: 'two', labels: ['b'] }
]

/** What queries of `resource()` find in a store of an adapter, which has `title`, and `labels`, a list. */
export async function resourceContract(t: Test, service: object, { comparesItems }: { comparesItems: boolean }) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { error: { all: [databaseErrors()] } } })
  app.service('labelled', service, {
    schema,
    hooks: { before: { find: [commonOperators()] } }
  } as ServiceOptions<object>)
  for (const payload of labelled) {
    const { statusCode } = await app.inject({ method: 'POST', url: '/labelled', payload })
    t.equal(statusCode, 201)
  }
  const find = async (query: string) => {
    const url = `/labelled?${query}&$sort[title]=1`
    const response = await app.inject({ url, headers: { accept: 'application/json' } })
    const answer = response.json()
    return response.statusCode === 200 ? answer.map(({ title }: { title: string }) => title) : response.statusCode
  }
  t.strictSame(await find('labels=a'), comparesItems ? ['one'] : 400, 'one item of a list')
  t.strictSame(await find('labels[$in]=b'), comparesItems ? ['one', 'two'] : 400, 'one of several items')
  t.strictSame(await find('$or[0][title]=one&$or[1][title]=two'), ['one', 'two'])
  t.strictSame(await find('$or[0][title][$eq]=one&$or[1][title]=x'), ['one'])
  t.strictSame(await find('$and[0][$or][0][title]=two&$and[0][$or][1][title]=x'), ['two'], '`$or` in `$and`')
  t.strictSame(await find('$or[0][$and][0][title]=two&$or[1][title]=x'), ['two'], '`$and` in `$or`')
  t.strictSame(await find('$or[0][$or][0][title]=two&$or[1][title]=x'), ['two'], '`$or` in `$or`')
}
