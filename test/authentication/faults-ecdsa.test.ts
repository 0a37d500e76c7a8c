import { sign as signBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { placesOf, refuses, startAuth } from '../support/auth-fault-child.js'
import { handmade, type Pair } from '../support/auth-fault-tokens.js'
import { claims } from '../support/tokens.js'

// The order of P-256: a signature holds two numbers from 1 to below it.
const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
const one = '1'.padStart(64, '0')
const zero = ''.padStart(64, '0')

t.test('Authentication: empty signature and its kind, for ES256', async (t) => {
  const child = await startAuth(t as Test, 'auth-fault-server.js')
  const { ES256 } = JSON.parse((await child.request('GET', '/keys')).body) as Record<string, Pair>
  const key = String(ES256?.private)
  const payload = claims({ aud: 'ES256' })
  const forged: [row: string, signature: (input: string) => Buffer][] = [
    ['r and s are 0', () => Buffer.from(zero + zero, 'hex')],
    ['r is 0', () => Buffer.from(zero + one, 'hex')],
    ['s is 0', () => Buffer.from(one + zero, 'hex')],
    ['r and s are 1', () => Buffer.from(one + one, 'hex')],
    ['r and s are the order of the curve', () => Buffer.from(order + order, 'hex')],
    ['in DER form', (input) => signBytes('sha256', Buffer.from(input), key)],
    ['an empty sequence in DER form', () => Buffer.from('3000', 'hex')],
    ['one byte', () => Buffer.from('00', 'hex')],
    ['65 bytes', (input) => Buffer.concat([signBytes('sha256', Buffer.from(input), p1363(key)), Buffer.alloc(1)])],
    ['by SHA-512', (input) => signBytes('sha512', Buffer.from(input), p1363(key))]
  ]
  for (const [row, by] of forged)
    await t.test(row, (t) => refuses(t as Test, child, row, handmade('ES256', key, payload, {}, by), placesOf('ES256')))
})

const p1363 = (key: string) => ({ key, dsaEncoding: 'ieee-p1363' as const })
