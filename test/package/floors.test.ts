import { isBuiltin } from 'node:module'
import { basename } from 'node:path'
import t from 'tap'
import { importsOf, read, sources } from './sources.js'

const floors: [files: RegExp, floor: number][] = [
  [/^types\//, 0],
  [/^lib\/core\//, 1],
  [/^(index|lib\/(client|authentication)\/index)\.ts$/, 3],
  [/^lib\/(server|authentication|client)\//, 2]
]
const floorOf = (file: string) => floors.find(([files]) => files.test(file))?.[1]
const folderOf = (file: string) => /^(types|lib\/\w+)\//.exec(file)?.[1]
const namesFastify = ({ name }: Edge) => /^@?fastify\b|^\.\/types\/fastify\.js$/.test(name)

interface Edge {
  file: string
  name: string
}
const edges: Edge[] = sources.flatMap((file) => importsOf(file).map((name) => ({ file, name })))
const shown = ({ file, name }: Edge) => `${file} imports ${name}`

function climbs({ file, name }: Edge): boolean {
  if (!name.startsWith('./')) return name.startsWith('fastify-services')
  const target = name.slice(2).replace(/\.js$/, '.ts')
  const [from, to] = [floorOf(file) ?? 0, floorOf(target) ?? Number.POSITIVE_INFINITY]
  return from === to ? folderOf(file) !== folderOf(target) : from < to
}

t.test('every file stands on a floor', async (t) => {
  const homeless = sources.filter((file) => floorOf(file) === undefined)
  t.same(homeless, [])
  t.ok(edges.length > sources.length, 'the imports were read')
})

t.test('an import goes down, or sideways within its folder', async (t) => {
  t.same(edges.filter(climbs).map(shown), [])
})

t.test('the core knows no Fastify and no Node', async (t) => {
  const core = edges.filter(({ file }) => file.startsWith('lib/core/'))
  const foreign = core.filter((edge) => namesFastify(edge) || isBuiltin(edge.name))
  t.same(foreign.map(shown), [])
})

t.test('of the types, only types/fastify.ts names Fastify', async (t) => {
  const types = edges.filter(({ file }) => file.startsWith('types/') && file !== 'types/fastify.ts')
  t.same(types.filter(namesFastify).map(shown), [])
})

t.test('types/ holds declarations only', async (t) => {
  const emitted = sources.filter((file) => file.startsWith('types/')).map((file) => `dist/${file.replace(/ts$/, 'js')}`)
  const code = emitted.filter((file) => !/^export \{\};\s*(\/\/.*)?\s*$/.test(read(file)))
  t.same(code, [])
})

t.test('files are short, and named for what they hold', async (t) => {
  const long = sources.filter((file) => read(file).trimEnd().split('\n').length > 160)
  const vague = sources.filter((file) => /^(utils?|helpers?|common|base)\.ts$/.test(basename(file)))
  t.same(long, [])
  t.same(vague, [])
})
