import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import bcryptjs from 'bcryptjs'
import type { Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createGuardsApp } from '../support/auth-guards.js'
import { bcryptHash, createUsers, type User } from '../support/auth-passwords.js'
import { type ScryptCall, scryptCalls } from '../support/auth-scrypt.js'
import { toHash } from '../support/stored-password.js'

const cost = 'N=16384,r=8,p=5,length=32'
const single = [{ characters: 11, cost }]
const strange = {
  none: undefined,
  null: null,
  empty: '',
  number: 1,
  list: ['x'],
  plain: 'wrong horse',
  'another kind': '$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA',
  'a hash of scrypt': toHash('correct horse', { ln: 14, r: 8, p: 5 }),
  'a hash of bcrypt': bcryptHash
}
const emails = ['unknown', ...Object.keys(strange)]

/** The rounds that hashes of bcrypt take together. */
const roundsOf = (hashes: readonly string[]) =>
  hashes.reduce((sum, hash) => sum + 2 ** Number(/^\$2[aby]\$(\d\d)\$.{53}$/.exec(hash)?.[1]), 0)

/** What hashes of scrypt cost together: the product of their settings. */
const workOf = (calls: readonly ScryptCall[]) =>
  calls.reduce(
    (sum, call) =>
      sum + (call.cost.match(/(?<=[Nrp]=)\d+/g) ?? []).reduce((product, text) => product * Number(text), 1),
    0
  )

const withBcrypt = (compare: (password: string, hash: string) => Promise<boolean>) => ({
  options: {},
  authentication: { strategies: { local: { hash: false, bcrypt: { compare } } } }
})

t.test('an unknown user, and one without a password, costs the same as a wrong password', async (t) => {
  const authentication = { strategies: { local: { hash: false } } }
  const { users, login } = await createUsers(t, { options: {}, authentication })
  for (const [email, password] of Object.entries(strange)) await users.create({ email, password })
  scryptCalls()
  for (const email of emails) {
    const { status, headers, body } = await login(email, 'wrong horse')
    t.strictSame(scryptCalls().calls, single, `${email}: one hash, of today's cost`)
    const shown = [status, headers['www-authenticate'], headers['content-length'], body]
    const invalid = { name: 'NotAuthenticated', message: 'Invalid login', code: 401, className: 'not-authenticated' }
    t.strictSame(shown, [401, 'Bearer', '96', invalid], `${email}: the same answer`)
  }
})

t.test('a right password costs one hash', async (t) => {
  const { users, login } = await createUsers(t)
  await users.create({ email: 'ada', password: 'right horse' })
  t.strictSame(scryptCalls().calls, single, 'to sign up')
  t.equal((await login('ada', 'right horse')).status, 201)
  t.strictSame(scryptCalls().calls, single, 'to log in')
})

t.test('with bcrypt: a hash of scrypt and the work of one of bcrypt each, whatever is stored', async (t) => {
  const compared: string[] = []
  const { users, login } = await createUsers(
    t,
    withBcrypt(async (password, hash) => {
      compared.push(hash)
      return hash === bcryptHash && bcryptjs.compare(password, hash)
    })
  )
  for (const [email, password] of Object.entries(strange)) await users.create({ email, password })
  scryptCalls()
  for (const email of emails) {
    t.equal((await login(email, 'wrong horse')).status, 401, email)
    t.strictSame(scryptCalls().calls, single, `${email}: scrypt`)
    t.equal(roundsOf(compared.splice(0)), 2 ** 10, `${email}: bcrypt`)
  }
  for (const email of ['a hash of bcrypt', 'a hash of scrypt']) {
    t.equal((await login(email, 'correct horse')).status, 201, `${email}: a right password`)
    t.match([scryptCalls().calls, roundsOf(compared.splice(0))], [{ length: 1 }, 2 ** 10], 'costs the same')
  }
})

t.test('with bcrypt: each user costs as much as the costliest hash of the table that was seen', async (t) => {
  const compared: string[] = []
  const { users, login } = await createUsers(
    t,
    withBcrypt(async (_password, hash) => compared.push(hash) === 0)
  )
  for (const cost of ['12', '04', '11'])
    await users.create({ email: cost, password: bcryptHash.replace('$04$', `$${cost}$`) })
  const costs: number[] = []
  for (const email of ['unknown', '04', '12', 'unknown', '04', '11', '12']) {
    await login(email, 'wrong horse')
    costs.push(Math.log2(roundsOf(compared.splice(0))))
  }
  t.strictSame(costs, [10, 10, 12, 12, 12, 12, 12])
})

t.test('a hash of scrypt with cheaper settings costs what one of today does, within a tenth', async (t) => {
  const { users, login } = await createUsers(t, { options: {} })
  await users.create({ email: 'today', password: 'right horse' })
  scryptCalls()
  await login('today', 'wrong horse')
  const today = workOf(scryptCalls().calls)
  for (const settings of [{ ln: 12 }, { ln: 4 }, { ln: 14, p: 4 }, { ln: 15, p: 1 }, { ln: 10, r: 4, p: 2 }]) {
    const { id } = (await users.create({ email: 'imported', password: toHash('right horse', settings) })) as User
    for (const [password, status] of [
      ['wrong horse', 401],
      ['right horse', 201]
    ] as const) {
      t.equal((await login('imported', password)).status, status)
      const share = workOf(scryptCalls().calls) / today
      t.ok(share >= 0.9 && share <= 1.1, `${JSON.stringify(settings)}, ${password}: ${share}`)
    }
    await users.remove(id as number)
  }
})

const noPasswords = [
  undefined,
  null,
  '',
  {},
  [],
  ['x'],
  { length: 3 },
  1,
  true,
  'x'.repeat(1025),
  'x'.repeat(1_000_000),
  'a\0b'
]

t.test('password missing, empty, object, 1 MB: 401, no hash computed over 1,024 characters', async (t) => {
  const compared: string[] = []
  const { users, login, app } = await createUsers(t, {
    ...withBcrypt(async (_password, hash) => compared.push(hash) === 0),
    server: { bodyLimit: 2_000_000 }
  })
  await users.create({ email: 'ada', password: toHash('x'.repeat(1025)) })
  scryptCalls()
  for (const password of noPasswords) {
    const { status, body } = await login('ada', password)
    t.strictSame([status, body.message], [401, 'Invalid login'], JSON.stringify(password)?.slice(0, 20))
  }
  for (const email of [undefined, null, '', {}, [], { $gt: '' }, ['ada'], 1, 'x'.repeat(1025)])
    t.equal((await login(email as string, 'wrong horse')).status, 401)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = 'strategy=local&email=ada&password[$gt]='
  t.equal((await app.inject({ method: 'POST', url: '/authentication', headers, payload })).statusCode, 401)
  t.strictSame([scryptCalls().calls, compared], [[], []], 'none was computed')
  t.equal((await login('ada', 'x'.repeat(1024))).status, 401)
  t.match(scryptCalls().calls, [{ characters: 1024 }], '1,024 characters are hashed')
})

/** What a strategy of an application gets. */
async function createPasswords(t: Test) {
  const seen: Parameters<NonNullable<Strategy['setup']>>[0]['passwords'][] = []
  const probe: Strategy = { setup: ({ passwords }) => seen.push(passwords), authenticate: () => ({}) }
  await createGuardsApp(t, { options: { strategies: { probe } } })
  return seen[0] as (typeof seen)[0]
}

t.test(
  'the bound stands before the work, whoever asks: what can be no password is not hashed, and equals none',
  async (t) => {
    const passwords = await createPasswords(t)
    scryptCalls()
    for (const password of [...noPasswords, 'ﷺ'.repeat(100_000)] as string[]) {
      await t.rejects(passwords.hash(password), { name: 'BadRequest', message: /1 to 1024 characters|NUL/ })
      t.equal(await passwords.verify(password, toHash('x')), false)
    }
    t.strictSame(scryptCalls().calls, [])
    t.equal(await passwords.verify('x'.repeat(1024), toHash('x'.repeat(1024))), true)
  }
)

const email = 'ada@example.com'
const salt = 'c2FsdHNhbHRzYWx0c2FsdA'
const good = toHash('correct horse', { ln: 14, r: 8, p: 5 })
const malformed: Record<string, unknown> = {
  'with nothing in its last part': `$scrypt$ln=14,r=8,p=5$${salt}$`,
  'of no bytes': `$scrypt$ln=14,r=8,p=5$${salt}$A`,
  'with nothing but underscores': '$scrypt$ln=14,r=8,p=5$_$_',
  'cut by a character': good.slice(0, -1),
  'cut short': good.slice(0, -22),
  'cut to a byte': good.slice(0, good.lastIndexOf('$') + 3),
  'with a line end': `${good}\n`,
  'with a space before it': ` ${good}`,
  'padded twice': `${good}==`,
  'of N = 1': `$scrypt$ln=0,r=8,p=5$${salt}$${salt}`,
  'of N = 2^99': `$scrypt$ln=99,r=8,p=5$${salt}$${salt}`,
  'of N = 2^40': `$scrypt$ln=40,r=8,p=5$${salt}$${salt}`,
  'of 1 TiB': `$scrypt$ln=30,r=8,p=1$${salt}$${salt}`,
  'of N = 2^21': `$scrypt$ln=21,r=8,p=1$${salt}$${salt}`,
  'of N = 2^20, r = 99': `$scrypt$ln=20,r=99,p=1$${salt}$${salt}`,
  'of r = 0': `$scrypt$ln=14,r=0,p=5$${salt}$${salt}`,
  'of p = 0': `$scrypt$ln=14,r=8,p=0$${salt}$${salt}`,
  'of negative cost': `$scrypt$ln=-1,r=8,p=5$${salt}$${salt}`,
  'of another function': good.replace('scrypt', 'argon2id'),
  'the password itself': 'correct horse',
  empty: '',
  null: null,
  'a number': 7,
  'an object': { password: good },
  'a list': [good],
  true: true
}

t.test('malformed stored hashes never let in, and never are a 500', async (t) => {
  const { users, login } = await createUsers(t, {
    options: {},
    authentication: { strategies: { local: { hash: false } } }
  })
  for (const [name, password] of Object.entries(malformed)) {
    const { id } = (await users.create({ email, password })) as { id: number }
    scryptCalls()
    const { status, body } = await login(email, 'correct horse')
    t.strictSame([status, body.message], [401, 'Invalid login'], `a hash ${name}`)
    t.match(scryptCalls().calls, [{ cost }], 'one that would take more memory than a server has is not computed')
    await users.remove(id)
  }
  await users.create({ email, password: good })
  t.equal((await login(email, 'correct horse')).status, 201, 'one that is good lets in after all these')
})

const root = new URL('../../../', import.meta.url)
const script = fileURLToPath(new URL('dist/bench/login.js', root))
const cheap = new URL('dist/test/support/auth-scrypt.js', root).href
const run = (tries: string) =>
  promisify(execFile)(process.execPath, ['--import', cheap, script], { env: { ...process.env, LOGIN_TRIES: tries } })

t.test('`npm run bench:login` measures an unknown user against a wrong password', async (t) => {
  const { stdout } = await run('2')
  const [title, medians = '', verdict = ''] = stdout.trim().split('\n')
  t.match(title, /^Medians of 2 tries each, in turn, against a server on port \d+:$/)
  const [, unknown, wrong] = /^unknown user (\d+\.\d\d) ms \| wrong password (\d+\.\d\d) ms$/.exec(medians) ?? []
  t.ok(Number(unknown) > 0 && Number(wrong) > 0, 'the medians side by side')
  const [, percentage, is] =
    /^unknown user : wrong password = (\d+\.\d) %, (within|NOT within) 10 %$/.exec(verdict) ?? []
  t.ok(Math.abs(Number(percentage) - (100 * Number(unknown)) / Number(wrong)) < 2, 'their ratio')
  t.equal(is, Math.abs(Number(percentage) - 100) <= 10 ? 'within' : 'NOT within')
  for (const tries of ['0', 'many', '1.5'])
    t.match(await run(tries).catch((error) => error), { code: 1, stderr: /LOGIN_TRIES is a whole number above 0/ })
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  t.equal(scripts['bench:login'], 'npm run build && node dist/bench/login.js', 'it builds first')
})
