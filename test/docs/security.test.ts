import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'

const root = new URL('..', import.meta.resolve('fastify-services'))
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')

// In a template or a text of its own kind, backticks and quotes of a title are escaped.
const plain = (text: string) => text.replaceAll('\\', '')
const [, promises = ''] = /## What is promised\n(.*?)\n## /s.exec(read('SECURITY.md')) ?? []
const lines = promises.split('\n').filter((line) => line.startsWith('- '))

t.test('each promise of SECURITY.md names a test that there is', async (t) => {
  t.not(lines.length, 0)
  for (const line of lines) {
    const [, file = '', title = ''] = /`(test\/[\w/-]+(?:\.slow)?\.test\.ts)`: "(.+)"$/.exec(line) ?? []
    if (t.ok(file !== '' && existsSync(new URL(file, root)), line))
      t.ok(plain(read(file)).includes(title), `${file} has a test with this title: ${title}`)
  }
})

t.test('it is linked from the README', async (t) => {
  t.match(read('README.md'), '](SECURITY.md)')
})
