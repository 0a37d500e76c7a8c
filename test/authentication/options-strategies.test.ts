import { type AuthenticationOptions, JwtStrategy, LocalStrategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { apiKey, createGuardsApp } from '../support/auth-guards.js'

const start = (t: Test, options: object) => createGuardsApp(t, { options: options as Partial<AuthenticationOptions> })

t.test('a strategy that is none', async (t) => {
  const shape = (name: string) => ({
    message: `The strategy '${name}' of authentication is no strategy: give an object with a method \`authenticate\``
  })
  for (const value of [true, {}, { parse: () => null }, { authenticate: 'yes' }, new Map(), []])
    await t.rejects(start(t as Test, { strategies: { own: value } }), shape('own'))
  const kind = { message: "The strategy 'own' of authentication is true, an object with its options, or a strategy" }
  for (const value of [null, 1, 'jwt', () => ({}), JwtStrategy, Symbol('x')])
    await t.rejects(start(t as Test, { strategies: { own: value } }), kind, String(value))
})

t.test('options of ours that are misspelt', async (t) => {
  await t.rejects(
    start(t as Test, { strategies: { jwt: { heder: 'x' } } }),
    /no option 'strategies\.jwt\.heder'\. There are: /
  )
  await t.rejects(
    start(t as Test, { strategies: { local: { userField: 'x' } } }),
    /no option 'strategies\.local\.userField'/
  )
  await t.rejects(start(t as Test, { strategy: { jwt: true } }), /no option 'strategy'\. There are: secret, service/)
  await t.rejects(start(t as Test, { authStrategy: ['jwt'] }), /no option 'authStrategy'/)
  await t.rejects(start(t as Test, { methods: ['create'] }), /no option 'methods'/)
})

t.test('no strategy at all', async (t) => {
  const message = /Authentication has no strategies: enable one, as in strategies: \{ jwt: true, local: true \}/
  for (const strategies of [{}, { jwt: false }, { jwt: undefined, local: false }])
    await t.rejects(start(t as Test, { strategies }), message)
})

t.test('authStrategies and parseStrategies: names that are not among the strategies', async (t) => {
  const strategies = { jwt: true, local: false, apiKey }
  for (const option of ['authStrategies', 'parseStrategies'])
    for (const name of ['local', 'jtw', '__proto__', 'constructor', ''])
      await t.rejects(
        start(t as Test, { strategies, [option]: ['jwt', name] }),
        {
          message: `The strategy '${name}', which the option ${option} of authentication names, is not among \`strategies\``
        },
        `${option}: '${name}'`
      )
})

t.test('parseStrategies: one that can not read requests', async (t) => {
  const mute = { authenticate: () => ({}) }
  for (const [name, strategies] of [
    ['local', { jwt: true, local: true }],
    ['local', { jwt: true, local: new LocalStrategy() }],
    ['mute', { jwt: true, mute }]
  ] as const)
    await t.rejects(start(t as Test, { strategies, parseStrategies: [name] }), {
      message: `The strategy '${name}', which the option parseStrategies of authentication names, can not read requests: it has no method \`parse\``
    })
  await t.rejects(start(t as Test, { refresh: true, parseStrategies: ['refresh'] }), /can not read requests/)
})

t.test('empty lists are lists: nobody logs in, nothing is read', async (t) => {
  await t.resolves(start(t as Test, { authStrategies: [] }))
  await t.resolves(start(t as Test, { parseStrategies: [] }))
})

t.test('a value of the wrong kind is refused with the name of its option', async (t) => {
  const wrong: [option: string, options: object][] = [
    ['schemes', { strategies: { jwt: { schemes: 'Bearer' } } }],
    ['header', { strategies: { jwt: { header: 5 } } }],
    ['authStrategies', { authStrategies: 'jwt' }],
    ['parseStrategies', { parseStrategies: 'jwt' }],
    ['path', { path: null }],
    ['strategies', { strategies: null }],
    ['entity', { entity: true }],
    ['entityId', { entityId: '' }],
    ['isRevoked', { isRevoked: true }]
  ]
  for (const [option, options] of wrong)
    await t.rejects(start(t as Test, options), { message: new RegExp(`option .*\\b${option}\\b`) }, option)
})
