import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { topLevelNames, writtenLists } from './names.js'
import { sources } from './sources.js'

t.test('the names that mean different things in two files become fewer', async (t) => {
  const places = new Map<string, string[]>()
  for (const file of sources)
    for (const name of topLevelNames(file)) places.set(name, [...(places.get(name) ?? []), file])
  const homonyms = [...places].filter(([, files]) => files.length > 1)
  const listed = homonyms.map(([name, files]) => `${name}: ${files.join(', ')}`)
  t.ok(homonyms.length <= 53, `${homonyms.length} names`, { listed })
})

t.test('keywords of JSON Schema are listed in one file of the library', async (t) => {
  const lists = sources.flatMap((file) => writtenLists(file))
  // Without `id`, which draft 4 alone has.
  const { id: _, ...keywords } = new Ajv2020().RULES.keywords
  const listed = lists.filter(({ texts }) => texts.filter((text) => Object.hasOwn(keywords, text)).length > 1)
  const files = new Set(listed.map(({ place }) => place.split(':')[0]))
  t.same([...files].sort(), ['lib/explorer/model/schema.ts', 'lib/schema/keywords.ts'], { listed })
})
