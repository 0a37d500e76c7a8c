import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

t.test(
  'More specific services win: a fixed segment before a placeholder, also where it lacks the method',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    const calls: string[] = []
    const record = (name: string) => async () => {
      calls.push(name)
      return { name }
    }
    const any = { find: record('any'), get: record('any'), create: record('any'), patch: record('any') }
    app.service(':tenant/users', any)
    app.service('acme/users', { find: record('acme') })
    const ask = async (method: 'GET' | 'POST' | 'PATCH', url: string) => {
      const payload = method === 'GET' ? {} : { payload: {} }
      const { statusCode, headers } = await app.inject({
        method,
        url,
        ...payload,
        headers: { accept: 'application/json' }
      })
      return [statusCode, headers.allow]
    }
    t.strictSame(await ask('GET', '/acme/users'), [200, undefined])
    t.strictSame(await ask('POST', '/acme/users'), [405, 'GET, HEAD'])
    t.strictSame(await ask('PATCH', '/acme/users/1'), [405, ''])
    t.strictSame(calls, ['acme'])
    t.strictSame(await ask('POST', '/other/users'), [201, undefined])
    t.strictSame(await ask('PATCH', '/other/users/1'), [200, undefined])
    t.strictSame(calls, ['acme', 'any', 'any'])
  }
)
