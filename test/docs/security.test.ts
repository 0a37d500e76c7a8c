import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { read, root } from '../package/sources.js'

// In a template or a text of its own kind, backticks and quotes of a title are escaped.
const plain = (text: string) => text.replaceAll('\\', '')
const [, guarantees = ''] = /## Guarantees\n(.*?)\n## /s.exec(read('SECURITY.md')) ?? []
const lines = guarantees.split('\n').filter((line) => line.startsWith('- '))

t.test('each guarantee of SECURITY.md names a test that exists', async (t) => {
  t.not(lines.length, 0)
  for (const line of lines) {
    const [, file = '', title = ''] = /`(test\/[\w/-]+(?:\.deep|\.world)?\.test\.ts)`: "(.+)"$/.exec(line) ?? []
    if (t.ok(file !== '' && existsSync(join(root, file)), line))
      t.ok(plain(read(file)).includes(title), `${file} has a test with this title: ${title}`)
  }
})

t.test('it is linked from the README', async (t) => {
  t.match(read('README.md'), '](SECURITY.md)')
})
