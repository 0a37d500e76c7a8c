import { scryptSync } from 'node:crypto'
import t from 'tap'
import { createBcrypt } from '../../lib/authentication/bcrypt.js'
import { Passwords } from '../../lib/authentication/password.js'
import { scryptHash } from '../../lib/authentication/scrypt.js'
import { bcryptHash } from '../support/auth-passwords.js'
import { scryptCalls, useFullCost } from '../support/auth-scrypt.js'
import { isKept } from '../support/kept.js'
import { toHash } from '../support/stored-password.js'
import { byOutcome } from './outcomes.js'

const noted = () => scryptCalls().calls.map(({ characters, cost }) => `${characters} ${cost}`)

const salt = 'AAAAAAAAAAAAAAAAAAAAAA'
const stored = (ln: unknown, r: unknown, p: unknown, hash = 43, of = salt) =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${of}$${'A'.repeat(hash)}`
const forms: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  empty: '',
  number: 5,
  bytes: Buffer.from(toHash('x')),
  bcrypt: bcryptHash,
  plain: 'x',
  good: toHash('x'),
  current: toHash('x', { ln: 14, p: 5 }),
  'of 16 bytes': toHash('x', { length: 16 }),
  'of 64 bytes': toHash('x', { length: 64 }),
  'of 31 bytes': toHash('x', { length: 31 }),
  ...Object.fromEntries([0, 1, 9, 10, 14, 19, 20, 21, '04', 'x'].map((ln) => [`ln=${ln}`, stored(ln, 1, 1)])),
  ...Object.fromEntries(
    [0, 1, 9, 10, 99, 100].flatMap((n) => [
      [`r=${n}`, stored(4, n, 1)],
      [`p=${n}`, stored(4, 1, n)]
    ])
  ),
  'as much as fits': stored(20, 8, 1),
  'more than fits': stored(20, 9, 1),
  'a shorter one that does not': stored(19, 17, 1),
  ...Object.fromEntries(
    [21, 22, 23, 42, 43, 44, 85, 86, 87].map((length) => [`a hash of ${length}`, stored(4, 1, 1, length)])
  ),
  ...Object.fromEntries([10, 11, 30].map((length) => [`salt of ${length}`, stored(4, 1, 1, 43, 'A'.repeat(length))])),
  'more behind': `${toHash('x')}A`,
  'a line behind': `${toHash('x')}\n`,
  'more before': `x${toHash('x')}`,
  'another salt letter': stored(4, 1, 1, 43, `${'A'.repeat(21)}-`)
}

t.test('stored hashes', async (t) => {
  noted()
  const compare = async (one: unknown) => `${await scryptHash.compare('x', one)} ${noted()}`
  const kept: Record<string, unknown> = { stored: await byOutcome(forms, compare) }
  kept.current = await byOutcome(forms, async (one) => scryptHash.isCurrent(String(one)))
  kept.outdated = await byOutcome(forms, async (one) => new Passwords().isOutdated(String(one)))
  const asked: unknown[] = []
  const bcrypt = await createBcrypt({ compare: async (password, hash) => asked.push([password, hash]) > 0 })
  const hashes: Record<string, unknown> = {
    none: undefined,
    scrypt: toHash('x'),
    number: 5,
    b: bcryptHash,
    a: bcryptHash.replace('2b', '2a'),
    y: bcryptHash.replace('2b', '2y'),
    x: bcryptHash.replace('2b', '2x'),
    longer: `${bcryptHash}x`,
    before: ` ${bcryptHash}`
  }
  for (const cost of ['03', '04', '09', '10', '11', '12', '31', '32', '99'])
    hashes[`of ${cost}`] = bcryptHash.replace('$04', `$${cost}`)
  const row = async (one: unknown) => `${await bcrypt.compare('p', one)} ${JSON.stringify(asked.splice(0))}`
  const rows: [string, string][] = []
  for (const [name, one] of Object.entries(hashes)) rows.push([name, await row(one)])
  kept.bcrypt = rows
  kept['libraries of bcrypt'] = await byOutcome<unknown>(
    { 'the peer': true, empty: {}, 'a text': { compare: 'x' }, 'a method': { compare: Math.max } },
    async (library) => Object.keys(await createBcrypt(library as true)).join()
  )
  isKept(t, kept, 'test/authentication/whole-stored-hashes.txt')
})

t.test('stored hashes that cost what they say', async (t) => {
  t.teardown(useFullCost())
  const rows = [
    [1, 1, 1],
    [1, 1, 2],
    [1, 1, 99],
    [2, 9, 9],
    [4, 8, 1],
    [4, 1, 99],
    [10, 1, 1]
  ] as const
  for (const [ln, r, p] of rows) {
    const hash = scryptSync('x', Buffer.from(salt, 'base64'), 32, { N: 2 ** ln, r, p, maxmem: 2 ** 30 })
    const stored = `$scrypt$ln=${ln},r=${r},p=${p}$${salt}$${hash.toString('base64').replace('=', '')}`
    t.equal(await scryptHash.compare('x', stored), true, stored)
  }
})
