import * as door from 'fastify-services'
import * as authentication from 'fastify-services/authentication'
import * as client from 'fastify-services/client'
import * as database from 'fastify-services/database'
import * as feathers from 'fastify-services/feathers'
import * as openapi from 'fastify-services/openapi'
import t from 'tap'
import { read } from '../package/sources.js'
import { pages } from '../support/pages.js'
import { readSections } from '../support/snippets.js'

t.test('the README has the two commands that do all the set-up of a clone', async (t) => {
  const section = readSections('README.md').find(({ name }) => name === 'README.md: From a clone')
  const [first] = section?.snippets ?? []
  t.same(
    first?.text.split('\n').map((line) => line.replace(/ +#.*$/, '')),
    ['npm ci && npm start', 'npm ci && npm test']
  )
})

t.test('every exported name is told of', async (t) => {
  const text = pages.map(read).join('\n')
  for (const name of Object.keys({ ...door, ...authentication, ...client, ...database, ...openapi, ...feathers })) {
    if (name !== 'default') t.match(text, new RegExp(`\\b${name}\\b`), name)
  }
})

t.test('the table of options names all of the plugin and of a service', async (t) => {
  const source = read('lib/server/plugin-options.ts')
  const [, table = ''] = /^## Options\n([\s\S]*?)^## /m.exec(read('docs/services.md')) ?? []
  for (const list of ['pluginOptions', 'serviceOptions']) {
    const [, names = ''] = new RegExp(`const ${list}: [^=]+ = {([^}]*)\n}`).exec(source) ?? []
    t.ok(names.includes('hooks: hooksKind'), `${list} was read`)
    for (const [, name = ''] of names.matchAll(/^ {2}(\w+): /gm)) t.ok(table.includes(`\`${name}\``), name)
  }
})
