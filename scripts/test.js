// `npm test`: the unit tests, and beside them lint and types, whose output is shown last.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs a script of package.json. */
async function check(name) {
  const child = spawn('npm', ['run', name], { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output: `${stdout}${stderr}`, failure: code === 0 ? undefined : `npm run ${name}` }
}

const checks = Promise.all(['lint', 'types'].map(check))
const tests = spawn(process.execPath, ['scripts/run-tests.js', ...process.argv.slice(2)], { stdio: 'inherit' })
const [code] = await once(tests, 'close')
const failed = code === 0 ? [] : ['tests']
for (const { output, failure } of await checks) {
  process.stdout.write(output)
  if (failure !== undefined) failed.push(failure)
}
if (failed.length > 0) console.log(`# FAILED ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
