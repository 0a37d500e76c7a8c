import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { secret } from '../support/tokens.js'

const script = fileURLToPath(new URL('../support/auth-fault-start.js', import.meta.url))

interface End {
  code: unknown
  stdout: string
  stderr: string
}

/** Starts an application with these options in a process of its own, and gives its end. */
const start = (options: object) =>
  new Promise<End>((resolve) => {
    execFile(process.execPath, [script, JSON.stringify(options)], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr })
    )
  })

const make = `Make one by: node -e "console.log(crypto.randomBytes(64).toString('base64'))"`

const rows: [row: string, options: object, message: string][] = [
  ['missing', {}, 'The option `secret` of authentication is missing'],
  ['null', { secret: null }, 'The option `secret` of authentication is missing'],
  ['empty', { secret: '' }, 'The option `secret` of authentication is missing'],
  ['a list of none', { secret: [] }, 'The option `secret` of authentication is missing'],
  ['a list with an empty one', { secret: [secret, ''] }, 'The option `secret` of authentication is missing'],
  ['short', { secret: 'x'.repeat(31) }, 'The option `secret` of authentication is too short: HS256 needs 32 bytes'],
  ['one character', { secret: 'x' }, 'The option `secret` of authentication is too short: HS256 needs 32 bytes'],
  ['a list with a short one', { secret: [secret, 'x'] }, 'The option `secret` of authentication is too short']
]

for (const [row, options, message] of rows)
  t.test(`secret ${row}: the server refuses to start, and says how to make one`, async (t) => {
    const { code, stdout, stderr } = await start(options)
    t.equal(code, 1)
    t.equal(stdout, '')
    t.ok(stderr.includes(message), message)
    t.ok(stderr.includes(make), make)
  })

t.test('a secret of 32 bytes: it starts', async (t) => {
  t.same(await start({ secret }), { code: 0, stdout: 'listening\n', stderr: '' })
})

t.test('the secret that is made as the message says is long enough', async (t) => {
  const command = make.slice(make.indexOf('"') + 1, -1)
  const made = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['-e', command], (_error, stdout) => resolve(stdout.trim()))
  })
  t.match(await start({ secret: made, jwt: { algorithm: 'HS512' } }), { code: 0, stdout: 'listening\n' })
  t.notMatch(await start({ secret: made.slice(0, 31) }), { code: 0 })
})
