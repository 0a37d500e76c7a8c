import Fastify from 'fastify'
import t from 'tap'
import { Matcher } from '../../lib/server/matcher.js'
import { Registry } from '../../lib/server/registry.js'
import { routerOf } from '../../lib/server/router.js'

t.test('a malformed URL, which some versions of Fastify let through to the hooks, is that of no service', async (t) => {
  const matcher = new Matcher(new Registry(), routerOf(Fastify()))
  for (const url of ['/%zz', '/%E0%A4%A', '/things/%']) t.equal(matcher.match(url), undefined, url)
})
