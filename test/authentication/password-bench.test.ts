import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const root = new URL('../../../', import.meta.url)
const script = fileURLToPath(new URL('dist/bench/login.js', root))
const run = (tries: string) =>
  promisify(execFile)(process.execPath, [script], { env: { ...process.env, LOGIN_TRIES: tries } })

t.test('`npm run bench:login` measures an unknown user against a wrong password', async (t) => {
  const { stdout } = await run('2')
  const [title, medians = '', verdict = ''] = stdout.trim().split('\n')
  t.match(title, /^Medians of 2 tries each, in turn, against a server on port \d+:$/)
  const [, unknown, wrong] = /^unknown user (\d+\.\d\d) ms \| wrong password (\d+\.\d\d) ms$/.exec(medians) ?? []
  t.ok(Number(unknown) > 0 && Number(wrong) > 0, 'the medians side by side')
  const [, percentage, is] =
    /^unknown user : wrong password = (\d+\.\d) %, (within|NOT within) 10 %$/.exec(verdict) ?? []
  t.ok(Math.abs(Number(percentage) - (100 * Number(unknown)) / Number(wrong)) < 0.2, 'their ratio')
  t.equal(is, Math.abs(Number(percentage) - 100) <= 10 ? 'within' : 'NOT within')
})

t.test('`npm run bench:login` refuses a number of tries that is none', async (t) => {
  for (const tries of ['0', '-1', 'many', '1.5'])
    t.match(await run(tries).catch((error) => error), { code: 1, stderr: /LOGIN_TRIES is a whole number above 0/ })
})

t.test('`npm run bench:login` builds first', async (t) => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  t.equal(scripts['bench:login'], 'npm run build && node dist/bench/login.js')
})
