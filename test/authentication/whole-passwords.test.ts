import { scryptSync } from 'node:crypto'
import { memory } from '@feathersjs/memory'
import type { HookContext } from 'fastify-services'
import authentication, { hashPassword } from 'fastify-services/authentication'
import t from 'tap'
import { createBcrypt } from '../../lib/authentication/bcrypt.js'
import { isHashed, Passwords } from '../../lib/authentication/password.js'
import { scryptHash } from '../../lib/authentication/scrypt.js'
import { traitsOf } from '../../lib/core/hooks.js'
import { bcryptHash, createUsers } from '../support/auth-passwords.js'
import { scryptCalls, useFullCost } from '../support/auth-scrypt.js'
import { isKept } from '../support/kept.js'
import { toHash } from '../support/stored-password.js'
import { byOutcome, outcomeOf, tame } from './outcomes.js'

const values: Record<string, unknown> = {
  ...{
    undefined: undefined,
    null: null,
    empty: '',
    number: 5,
    true: true,
    list: ['x'],
    object: {},
    short: 'x',
    blank: ' ',
    NUL: 'a\0b'
  },
  ...{
    long: 'p'.repeat(1024),
    'too long': 'p'.repeat(1025),
    hash: toHash('x'),
    ligature: 'ﬁ',
    letters: 'fi',
    accent: 'é',
    'two accents': 'e\u0301'
  }
}
const noted = () => scryptCalls().calls.map(({ characters, cost }) => `${characters} ${cost}`)

t.test('hashPassword', async (t) => {
  const { app } = await createUsers(t, { object: memory({ multi: true }) })
  noted()
  const hook = hashPassword('password')
  const hash = async (data: unknown, params: object = { provider: 'rest' }) => {
    noted()
    const context = { app, params, data } as unknown as HookContext
    await hook(context)
    const hashed = noted()
    return JSON.stringify([
      hashed.length > 3 ? [context.data].flat().length : tame(context.data),
      hashed.slice(0, 3),
      hashed.length
    ])
  }
  const list = (length: number, of: unknown = { password: 'x' }) => Array(length).fill(of)
  const shapes: Record<string, unknown> = {
    ...{
      undefined: undefined,
      null: null,
      text: 'password',
      number: 5,
      'no field': { a: 1 },
      'an empty list': [],
      inherited: Object.create({ password: 'x' }),
      more: { a: 1, password: 'x', b: [2] }
    },
    ...{
      'a list': [{ a: 1, password: 'xy' }, { b: 2 }, { password: 'xyz' }],
      'a list of nothing': [null, 5, undefined],
      'a list with a bad one': [{ password: 'x' }, { password: '' }]
    },
    ...{
      '50 and more without': [...list(50), ...list(5, { a: 1 })],
      '51': list(51),
      '51 that are null': list(51, { password: null })
    }
  }
  const kept: Record<string, unknown> = {
    misuse: await byOutcome(
      { none: undefined, empty: '', number: 5, list: ['password'], one: 'x' },
      (field) => typeof (hashPassword as (field: unknown) => unknown)(field)
    ),
    types: await byOutcome(
      { before: 'before', around: 'around', after: 'after', error: 'error', none: undefined },
      (type) => traitsOf(hook).check?.({ app, path: 'here', type: type as 'before' })
    ),
    'without authentication': await outcomeOf(() => traitsOf(hook).check?.({ app: {}, path: 'here', type: 'before' })),
    values: await byOutcome(values, (password) => hash({ password })),
    shapes: await byOutcome(shapes, (data) => hash(data)),
    'of the server': await byOutcome({ 51: list(51) }, async (data) => JSON.parse(await hash(data, {}))[2]),
    'a hash': await hash({ password: 'x' }, { [isHashed]: true })
  }
  const { errors } = (await hook({ app, params: {}, data: { password: 5 } } as unknown as HookContext).catch(
    (error) => error
  )) as { errors: object }
  let nexts = 0
  await hook({ app, params: {}, data: {} } as unknown as HookContext, async () => void nexts++)
  await hook({ app, params: { [isHashed]: true }, data: {} } as unknown as HookContext, async () => void nexts++)
  isKept(t, { ...kept, errors, nexts, plugin: typeof authentication }, 'test/authentication/whole-hash-password.txt')
})

const salt = 'AAAAAAAAAAAAAAAAAAAAAA'
const stored = (ln: unknown, r: unknown, p: unknown, hash = 43, of = salt) =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${of}$${'A'.repeat(hash)}`
const forms: Record<string, unknown> = {
  ...{
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
    'of 31 bytes': toHash('x', { length: 31 })
  },
  ...Object.fromEntries([0, 1, 9, 10, 14, 19, 20, 21, '04', 'x'].map((ln) => [`ln=${ln}`, stored(ln, 1, 1)])),
  ...Object.fromEntries(
    [0, 1, 9, 10, 99, 100].flatMap((n) => [
      [`r=${n}`, stored(4, n, 1)],
      [`p=${n}`, stored(4, 1, n)]
    ])
  ),
  ...{
    'as much as fits': stored(20, 8, 1),
    'more than fits': stored(20, 9, 1),
    'a shorter one that does not': stored(19, 17, 1)
  },
  ...Object.fromEntries(
    [21, 22, 23, 42, 43, 44, 85, 86, 87].map((length) => [`a hash of ${length}`, stored(4, 1, 1, length)])
  ),
  ...Object.fromEntries([10, 11, 30].map((length) => [`salt of ${length}`, stored(4, 1, 1, 43, 'A'.repeat(length))])),
  ...{
    'more behind': `${toHash('x')}A`,
    'a line behind': `${toHash('x')}\n`,
    'more before': `x${toHash('x')}`,
    'another salt letter': stored(4, 1, 1, 43, `${'A'.repeat(21)}-`)
  }
}

t.test('stored hashes', async (t) => {
  noted()
  const compare = async (one: unknown) => `${await scryptHash.compare('x', one)} ${noted()}`
  const kept: Record<string, unknown> = { stored: await byOutcome(forms, compare) }
  kept.current = await byOutcome(forms, async (one) => scryptHash.isCurrent(String(one)))
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
  for (const cost of ['03', '04', '09', '10', '11', '04', '12', '31', '32', '99'])
    hashes[`of ${cost}`] = bcryptHash.replace('$04', `$${cost}`)
  const row = async (one: unknown) => `${await bcrypt.compare('p', one)} ${JSON.stringify(asked.splice(0))}`
  const rows: [string, string][] = []
  for (const [name, one] of Object.entries(hashes)) rows.push([name, await row(one)])
  kept.bcrypt = rows
  kept['libraries of bcrypt'] = await byOutcome<unknown>(
    { 'the peer': true, empty: {}, 'a text': { compare: 'x' }, 'a method': { compare: Math.max } },
    async (library) => Object.keys(await createBcrypt(library as true)).join()
  )
  isKept(t, kept, 'test/authentication/whole-stored.txt')
})

t.test('passwords, and how many at once', async (t) => {
  noted()
  const passwords = new Passwords({ concurrent: 1, waiting: 2 })
  const kept: Record<string, unknown> = {
    hashed: await byOutcome(values, async (value) => `${tame(await passwords.hash(value as string))} ${noted()}`),
    verified: await byOutcome(
      values,
      async (value) => `${await passwords.verify(value as string, toHash('fi'))} ${noted()}`
    ),
    outdated: await byOutcome(forms, async (one) => passwords.isOutdated(String(one)))
  }
  const told = (one: PromiseSettledResult<unknown>) =>
    one.status === 'fulfilled' ? tame(one.value) : [one.reason.code, one.reason.message, one.reason.data]
  for (const [name, own] of Object.entries({
    'one and two': passwords,
    defaults: new Passwords(),
    'none waits': new Passwords({ concurrent: 2, waiting: 0 })
  })) {
    const results = await Promise.allSettled(
      Array.from({ length: 55 }, (_, index) => (index % 2 === 0 ? own.hash('x') : own.verify('x', undefined)))
    )
    kept[name] = {
      ...Object.fromEntries(results.map((one, index) => [`${JSON.stringify(told(one))}`, index])),
      most: scryptCalls().most
    }
  }
  isKept(t, kept, 'test/authentication/whole-passwords.txt')
})

t.test('stored hashes that cost what they say', async (t) => {
  useFullCost()
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
