import t from 'tap'
import { register } from '../support/auth-fault-register.js'
import { secret } from '../support/tokens.js'

const start = (jwt: unknown) => register({ secret, jwt })

t.test('bad `expiresIn`: refused at the start', async (t) => {
  const values = [
    ...[0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e308, '', '0', '15', '-1d', '1ms', 'soon', 'never'],
    ...[true, false, {}, [], ['1d'], () => '1d']
  ]
  for (const expiresIn of values)
    await t.rejects(
      start({ expiresIn }),
      /^The option jwt\.expiresIn is a number of seconds, or a string such as '15m' or '1d', not /,
      `${expiresIn}`
    )
})

for (const name of ['issuer', 'audience'])
  t.test(`bad \`${name}\`: refused at the start, as it could not be checked`, async (t) => {
    for (const value of ['', 5, 0, true, false, [], ['a'], {}, /a/, () => 'a'])
      await t.rejects(
        start({ [name]: value }),
        { message: `The option jwt.${name} of authentication is a string, and not empty` },
        String(value)
      )
  })

t.test('options of @fastify/jwt, of fast-jwt and of Feathers: refused, with those that there are', async (t) => {
  const names = [
    'sign',
    'verify',
    'secret',
    'algorithms',
    'allowedAud',
    'ignoreExpiration',
    'expires',
    'subject',
    'header'
  ]
  for (const name of names)
    await t.rejects(start({ [name]: true }), {
      message: `Authentication has no option 'jwt.${name}'. There are: jwt.expiresIn, jwt.issuer, jwt.audience, jwt.algorithm`
    })
  for (const name of ['jwtOptions', 'authStrategy', 'cookie', 'decode'])
    await t.rejects(
      register({ secret, [name]: {} }),
      new RegExp(`^Authentication has no option '${name}'. There are: secret, `)
    )
})

t.test('`jwt` that is no object: refused at the start, and it says so', async (t) => {
  for (const jwt of ['HS256', 5, true, null, ['HS256'], () => {}])
    await t.rejects(start(jwt), /option [`']jwt/, String(jwt))
})

t.test('`undefined` stands for the default', async (t) => {
  await t.resolves(start(undefined))
  await t.resolves(start({ expiresIn: undefined, issuer: undefined, audience: undefined, algorithm: undefined }))
})
