import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readSections } from '../support/snippets.js'
import { run, temporaryFolder } from './pack.js'
import { root } from './sources.js'
import { start } from './started.js'

t.setTimeout(900_000)

t.test('the README: a project with the package of a clone, and its first program there', async (t) => {
  const snippets = readSections('README.md').flatMap(({ snippets }) => snippets)
  const lines = snippets.find(({ text }) => text.includes('npm run try'))?.text.split('\n') ?? []
  t.match(lines, [/^npm ci && npm run try -- \.\.\/my-app /, /^cd \.\.\/my-app && npm start$/])
  const folder = join(await temporaryFolder(t), 'my-app')
  // The script alone: a build would take the files of other tests away.
  const made = await run(root, 'node', 'scripts/try.js', folder)
  t.equal(made.code, 0, made.stderr)
  const project = await start(t, folder, 'npm', 'start', '--silent')
  t.match(await (await fetch(`${project.address}/messages`)).json(), { total: 0, data: [] })

  const program = snippets.find(({ language }) => language === 'js')?.text ?? ''
  // Another program may have the port.
  writeFileSync(join(folder, 'server.mjs'), program.replace('port: 3030', 'port: 0'))
  const { address } = await start(t, folder, 'node', 'server.mjs')
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse' })
  t.match(await (await fetch(`${address}/users`, { method: 'POST', headers, body })).json(), { id: 1 })
  t.ok(readFileSync(join(folder, 'package.json'), 'utf8').includes('"file:fastify-services-'))
})
