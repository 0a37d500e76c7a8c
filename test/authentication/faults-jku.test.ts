import { createPublicKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { places, placesOf, refuses, startAuth } from '../support/auth-fault-child.js'
import { createPairFor, handmade } from '../support/auth-fault-tokens.js'
import { claims } from '../support/tokens.js'

t.test('Authentication: `jku` and `x5u` in the header: no key is fetched', async (t) => {
  const stranger = createPairFor('RS256')
  const requests: unknown[] = []
  const jwk = { ...createPublicKey(stranger.public).export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }
  const server = createServer((request, response) => {
    requests.push(request.url)
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.equal((await fetch(`${base}/reached`)).status, 200)

  const pairs = await startAuth(t as Test, 'auth-fault-server.js')
  const secrets = await startAuth(t as Test)
  const headers = { jku: { jku: `${base}/keys` }, x5u: { x5u: `${base}/cert` }, both: { jku: base, x5u: base } }
  for (const [row, header] of Object.entries(headers)) {
    const own = { ...header, kid: 'own' }
    const ours = handmade('RS256', stranger.private, claims({ aud: 'RS256', iss: base }), own)
    await t.test(`${row}, RS256`, (t) => refuses(t as Test, pairs, row, ours, placesOf('RS256')))
    const other = handmade('RS256', stranger.private, claims(), own)
    await t.test(`${row}, HS256`, (t) => refuses(t as Test, secrets, row, other, places))
    const hashed = handmade('HS256', 'own', claims(), own)
    await t.test(`${row}, HS256 by a key of its own`, (t) => refuses(t as Test, secrets, row, hashed, places))
  }
  t.same(requests, ['/reached'])
})
