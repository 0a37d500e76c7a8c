import { setImmediate } from 'node:timers/promises'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'

async function warningsOf(t: Test, order: 'before' | 'after'): Promise<string[]> {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const app = Fastify()
  t.teardown(() => app.close())
  const register = () => app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  if (order === 'before') await register()
  await app.register(services)
  app.service('posts', { find: async () => [] })
  if (order === 'after') await register()
  await app.ready()
  app.swagger()
  app.swagger()
  // Node emits a warning in its own time.
  await setImmediate()
  return warnings
}

t.test('a document that shows no service, since it was registered after them, says so once', async (t) => {
  const warnings = await warningsOf(t, 'after')
  t.equal(warnings.length, 1)
  t.match(warnings[0], /shows no service.*Register it before the services/)
})

t.test('a document that was registered first warns of nothing', async (t) => {
  t.strictSame(await warningsOf(t, 'before'), [])
})
