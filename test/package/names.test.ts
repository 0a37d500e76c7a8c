import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { comments, declaredNames, type Place, topLevelNames, writtenLists } from './names.js'
import { filesIn, sources } from './sources.js'

// These words say nothing without the line that they stand in.
const vague = new Set('one own given found known made kept told said seen asked taken got thing them'.split(' '))
// A hook is called so in the field, and has its name at the door.
const doorNames = new Set(['lib/authentication/permissions/scope.ts own'])
// What such a word points at is in the code beside the comment, or nowhere.
const pointer =
  /^(it|they|those|these|one|them|its|their|that|this|others?|both|some|of (others|those|them|these|it)|what (is|was|are) (not )?(told|said|given|made|known)|then|so|but|and|otherwise|none|neither)\b/i

// What is read beside the library: the tests themselves have other measures.
const programs = [
  ...filesIn(['fuzz', 'soak', 'test/support', 'bench', 'examples'], '.ts'),
  ...filesIn(['scripts'], '.js')
].filter((file) => !file.includes('node_modules'))

const placesOf = (places: readonly Place[]) => places.map(({ place, text }) => `${place} ${text.slice(0, 80)}`)

t.test('names say what they name', async (t) => {
  const names = [...sources, ...programs].flatMap(declaredNames)
  t.ok(names.length > 4000, 'the names were read')
  t.same(
    placesOf(names.filter(({ place, text }) => vague.has(text) && !doorNames.has(`${place.split(':')[0]} ${text}`))),
    []
  )
})

t.test('so do those of tests, more and more', (t) => {
  const words = new Set(['one', 'own', 'given', 'found', 'known', 'kept'])
  const vagueNames = filesIn(['test'], '.ts')
    .flatMap(declaredNames)
    .filter(({ text }) => words.has(text))
  t.ok(vagueNames.length <= 41, `${vagueNames.length} names`, { places: placesOf(vagueNames) })
  t.end()
})

t.test('comments name their subject', async (t) => {
  const all = [...sources, ...programs].flatMap(comments)
  t.ok(all.length > 500, 'the comments were read')
  t.same(placesOf(all.filter(({ text }) => pointer.test(text))), [])
})

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
