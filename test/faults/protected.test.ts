import t, { type Test } from 'tap'
import { claims, forge, forgeWithout, now } from '../support/tokens.js'
import { type Row, runRows } from './runner.js'
import { guards, held } from './server/protected.js'

const statusOf = (name: string) => (name.includes('error') ? 409 : /cycle|throws/.test(name) ? [200, 500] : 200)
const rows = Object.keys(guards).flatMap((guard) =>
  Object.keys(held).flatMap((name) =>
    ['application/json', 'text/html'].map(
      (Accept): Row => ({
        row: `a protected field in ${name}, ${guard}, for ${Accept}`,
        request: {
          target: `/protected/${guard.replaceAll(' ', '-')}/${encodeURIComponent(name)}`,
          headers: { Accept }
        },
        expected: { status: statusOf(name), absent: /owned|password/ }
      })
    )
  )
)
const row: Row = {
  row: 'what is not protected stays',
  request: { target: '/protected/a-result/a%20list%20in%20an%20object' },
  expected: { status: 200, body: { users: [{ id: 1, name: 'Ada' }] } }
}
t.test('a protected field is absent from whatever leaves', (t) =>
  runRows(t as Test, [...rows, row], { room: 'protected' })
)

const json = { 'Content-Type': 'application/json' }
/** A token before a guard, for a logout and for a login. */
const refused = (row: string, path: string, token: string): Row[] => {
  const headers = { Authorization: `Bearer ${token}` }
  const expected = { status: 401, headers: { 'www-authenticate': 'Bearer' } }
  const atGuard = { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
  const body = JSON.stringify({ strategy: 'jwt', accessToken: token })
  return [
    { row: `${row}, at a guard of ${path}`, request: { target: `/guarded/${path}`, headers }, expected: atGuard },
    { row: `${row}, for a logout at ${path}`, request: { verb: 'DELETE', target: `/${path}`, headers }, expected },
    {
      row: `${row}, for a login at ${path}`,
      request: { verb: 'POST', target: `/${path}`, headers: json, body },
      expected
    }
  ]
}
const beyond = [8.64e12 + 1, 1e13, 9007199254740991, 1e16, 1e20, 1e300, 1.7976931348623157e308, -8.64e12 - 1, -1e300]
const tokens = ['authentication', 'revoked'].flatMap((aud) => [
  ...beyond.flatMap((exp) => refused(`a token with the exp ${exp}`, aud, forge(claims({ aud, exp })))),
  ...refused(
    'a token with the exp 1e999',
    aud,
    forge(JSON.stringify(claims({ aud })).replace(/"exp":\d+/, '"exp":1e999'))
  ),
  ...refused('a token that ends now', aud, forge(claims({ aud, exp: now() - 1 })))
])
const withoutId = [undefined, '', null, 1, {}, [], true].flatMap((jti) =>
  refused(`a token with the jti ${JSON.stringify(jti)}`, 'revoked', forge(claims({ aud: 'revoked', jti })))
)
withoutId.push(...refused('a token of another service', 'revoked', forgeWithout('jti')))

const good = ['authentication', 'revoked'].flatMap((aud): Row[] => {
  const headers = { Authorization: `Bearer ${forge(claims({ aud, jti: `good at ${aud}` }))}` }
  const last = { Authorization: `Bearer ${forge(claims({ aud, exp: 8.64e12, jti: 'last' }))}` }
  return [
    { row: `a good token at ${aud}`, request: { target: `/guarded/${aud}`, headers }, expected: { status: 200 } },
    { row: `a logout at ${aud}`, request: { verb: 'DELETE', target: `/${aud}`, headers }, expected: { status: 200 } },
    {
      row: `a token to the end of all dates at ${aud}`,
      request: { target: `/guarded/${aud}`, headers: last },
      expected: { status: [200, 401] }
    },
    {
      row: `its logout at ${aud}`,
      request: { verb: 'DELETE', target: `/${aud}`, headers: last },
      expected: { status: [200, 401] }
    }
  ]
})
const ended: Row = {
  row: 'a token after its logout, where revocation is on',
  request: {
    target: '/guarded/revoked',
    headers: { Authorization: `Bearer ${forge(claims({ aud: 'revoked', jti: 'good at revoked' }))}` }
  },
  expected: { status: 401 }
}
t.test('tokens that no date can hold, or that have no name', (t) =>
  runRows(t as Test, [...tokens, ...withoutId, ...good, ended], { room: 'protected' })
)
