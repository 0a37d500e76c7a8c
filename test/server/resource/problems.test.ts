import { resource } from 'fastify-services'
import t from 'tap'
import { createEcho } from '../../support/resource-app.js'

const schema = resource({
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'integer', minimum: 1 } }
} as object)

const rows: [query: string, instancePath: string, keyword: string][] = [
  ['nme=a', '/nme', 'additionalProperties'],
  ['a/b~c/d=a', '/a~1b~0c~1d', 'additionalProperties'],
  ['name[$lik]=a', '/name/$lik', 'additionalProperties'],
  ['name=a&name=b', '/name', 'type'],
  ['size=x', '/size', 'type'],
  ['size=0', '/size', 'minimum'],
  ['size[$in]=0', '/size/$in/0', 'minimum'],
  ['$limit=-1', '/$limit', 'type'],
  ['$limit[]=1', '/$limit', 'type'],
  ['$sort=name', '/$sort', 'type'],
  ['$sort[name]=2', '/$sort/name', 'enum'],
  ['$sort[nme]=1', '/$sort/nme', 'additionalProperties'],
  ['$select[a]=name', '/$select', 'type'],
  ['$select=nme', '/$select', 'enum'],
  ['$select=name&$select=nme', '/$select', 'enum'],
  ['$or=a', '/$or', 'type'],
  ['$or[0][size]=x', '/$or/0/size', 'type']
]

t.test('a refused query: where it is, and by which rule', async (t) => {
  const { app } = await createEcho(t, schema)
  for (const [query, instancePath, keyword] of rows) {
    const { code, errors } = (await app.inject(`/things?${query}`)).json()
    t.match({ code, errors }, { code: 400, errors: [{ instancePath, keyword }] }, query)
    t.equal(errors.length, 1, query)
  }
})
