// Counts instructions, so that nothing else on the machine matters.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { isInstalled } from '../support/installed.js'

const script = fileURLToPath(new URL('../../bench/main.js', import.meta.url))
const [major = ''] = process.versions.node.split('.')

t.test(
  'requests cost no more than they did, and nothing more among 1,500 services',
  { skip: isInstalled('valgrind') ? false : 'valgrind is not installed' },
  async (t) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--hold', '--node', major])
    t.comment(stdout)
    t.match(stdout, /\| get \| \d+\.\d \| \d+\.\d \| \d\.\d\d \|/)
    t.match(stdout, /A guarded get among 1500 services takes \d\.\d\d times/)
  }
)
