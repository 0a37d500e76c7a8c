import { createRequire } from 'node:module'
import { join } from 'node:path'
import { KnexService } from '@feathersjs/knex'
import createKnex, { type Knex } from 'knex'
import t, { type Test } from 'tap'
import { factsOfRecord, indexKeyOf, matches, prepareFacts } from '../../lib/core/matching.js'
import { root } from '../package/sources.js'
import { list, startEvents } from '../support/events-app.js'
import { installIn } from '../support/install.js'
import { noMariadb, startMariadb } from '../support/mariadb.js'

const folder = join(root, 'test/adapters/databases')
await installIn(folder)

/** Opens a MariaDB by mysql2, which is installed in a folder of its own. */
async function open(t: Test): Promise<Knex> {
  const { default: Client } = await import('knex/lib/dialects/mysql2/index.js' as string)
  const client = class extends Client {
    _driver() {
      return createRequire(join(folder, 'package.json'))('mysql2')
    }
  }
  const connection = { socketPath: await startMariadb(t), user: 'root', database: 'test', charset: 'utf8mb4' }
  const knex = createKnex({ client: client as never, connection })
  t.teardown(() => knex.destroy())
  return knex
}

const letters = [...'abcdefghijklmnopqrstuvwxyz']
const pairs = letters.flatMap((first) => letters.map((second) => first + second))
const signs = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
const texts = [
  ...new Set([
    ...[...pairs, ...signs, 'ddzs', 'dzsdzs', 'a01', 'a1', 'ø', 'ß', 'ss', 'æ', 'ae', 'à', '🍣', '🍺'],
    ...pairs.flatMap((pair) => [pair[0] + pair, pair + pair]),
    ...signs.flatMap((sign) => [`a${sign}`, `${sign}a`, `a${sign}b`])
  ])
]

t.test('with MariaDB', { skip: noMariadb }, async (t) => {
  const knex = await open(t)

  await t.test('what any collation finds equal is not different to the rule of a list', async (t) => {
    await knex.raw('create table texts (text varchar(10) character set utf8mb4 collate utf8mb4_nopad_bin primary key)')
    await knex('texts').insert(texts.map((text) => ({ text })))
    const [collations] = await knex.raw(
      'select full_collation_name as name, character_set_name as charset from information_schema.collation_character_set_applicability'
    )
    const faults: string[] = []
    for (const { name, charset } of collations) {
      const key = charset === 'binary' ? 'text' : `convert(text using ${charset}) collate ${name}`
      const [groups] = await knex.raw(
        `select group_concat(text separator '\t') as alike from texts group by ${key} having count(*) > 1`
      )
      for (const { alike } of groups) {
        const [first, ...others] = String(alike).split('\t') as [string, ...string[]]
        for (const other of others) {
          const places = [indexKeyOf(first), indexKeyOf(other)]
          const isApart = places[0]?.[0] === places[1]?.[0] && places[0] !== places[1]
          if (isApart || matches({ text: first }, prepareFacts(factsOfRecord({ text: other }))) === false)
            faults.push(`${name}: '${first}' and '${other}'`)
        }
      }
    }
    t.ok(collations.length > 300)
    t.same(faults.slice(0, 20), [])
  })

  await t.test('who hears of a record is who finds it', async (t) => {
    await knex.raw(
      'create table notes (id int auto_increment primary key, kind varchar(20) character set utf8mb4 collate utf8mb4_uca1400_ai_ci, code varchar(20))'
    )
    const { subscribe, call } = await startEvents(
      t,
      (app) => app.service('notes', new KnexService({ Model: knex, name: 'notes' })),
      { services: { notes: true } }
    )
    const queries = { '&subscribe[0][query][kind]=o': 'kind=o', '&subscribe[0][query][kind][$ne]=o': 'kind[$ne]=o' }
    for (const [subscription, query] of Object.entries(queries)) {
      const stream = await subscribe(list('notes', subscription)).connected
      await call('POST', '/notes', { kind: 'ø' })
      t.same(await stream.count(1), [{ path: 'notes', event: 'changed' }], query)
    }
    t.equal(JSON.parse((await call('GET', '/notes?kind=o')).body).length, 2)
    t.equal((await call('GET', '/notes?kind[$ne]=o')).body, '[]')
  })
})
