import { existsSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as server from 'fastify-services'
import t from 'tap'
import * as source from '../../index.js'
import { filesIn, importsOf, manifest, read, root, sources } from './sources.js'

const isForeign = (name: string) => !name.startsWith('./') && !isBuiltin(name)
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name
const packagesIn = (files: string[]) => [...new Set(files.flatMap(importsOf).filter(isForeign).map(packageOf))]

const dependencies = Object.keys(manifest.dependencies)
const declared = [...dependencies, ...Object.keys(manifest.peerDependencies)]
const imported = packagesIn(['dist/index.js', ...filesIn(['dist/lib'], 'js')])
const named = packagesIn(['dist/index.d.ts', ...filesIn(['dist/lib', 'dist/types'], '.d.ts')])

t.test('what the code and its declarations import is declared', async (t) => {
  const undeclared = [...imported, ...named].filter((name) => !declared.includes(name))
  t.same(undeclared, [])
})

t.test('every dependency is imported', async (t) => {
  const idle = dependencies.filter((name) => !imported.includes(name))
  t.same(idle, [])
})

t.test('CONTRIBUTING.md names every dependency', async (t) => {
  const text = existsSync(join(root, 'CONTRIBUTING.md')) ? read('CONTRIBUTING.md') : ''
  const unnamed = dependencies.filter((name) => !text.includes(`\`${name}\``))
  t.same(unnamed, [])
})

// Coverage knows only the files that were loaded: here are all of them, so that one that no test needs lowers the figure.
t.test('every file of the library can be loaded by itself', async (t) => {
  for (const file of filesIn(['dist/lib'], 'js')) {
    await t.resolves(import(pathToFileURL(join(root, file)).href), file)
  }
})

const classes = ['JwksStrategy', 'JwtStrategy', 'LocalStrategy']
const hooks = [
  'allow',
  'authenticate',
  'hashPassword',
  'isCrossSite',
  'include',
  'may',
  'own',
  'protect',
  'refers',
  'scope',
  'within'
]
const names = [...classes, ...hooks, 'default', 'memoryStore'].sort()

t.test('the door of authentication exports these names, and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services/authentication')).sort(), names)
})

const ownNames = [
  'AxiosClient',
  'FetchClient',
  'JqueryClient',
  'RequestClient',
  'SuperagentClient',
  'authentication',
  'createClient',
  'iterate',
  'memoryStorage',
  'rest'
]

t.test('the door of accounts exports these names, and no others', async (t) => {
  const names = ['ApiKeyStrategy', 'apiKeys', 'emailVerification', 'passwordChange', 'passwordReset']
  t.same(Object.keys(await import('fastify-services/accounts')).sort(), names)
})

t.test('the door of the client exports these names, the errors of the server, and no others', async (t) => {
  const client = await import('fastify-services/client')
  const errors = Object.keys(server).filter((name) => /^[A-Z]/.test(name))
  t.same(Object.keys(client).sort(), [...errors, ...ownNames].sort())
  t.equal(client.NotFound, server.NotFound, 'an error of the one is an error of the other')
})

t.test('the door of events for clients exports one name', async (t) => {
  t.same(Object.keys(await import('fastify-services/client/events')), ['events'])
})

t.test('the door of databases exports these names, and no others', async (t) => {
  const names = ['batch', 'databaseErrors', 'inTransaction', 'transaction']
  t.same(Object.keys(await import('fastify-services/database')).sort(), names)
})

t.test('the door of Feathers exports these names, and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services/feathers')).sort(), ['applicationOf', 'default'])
})

t.test('the door of OpenAPI exports one name', async (t) => {
  t.same(Object.keys(await import('fastify-services/openapi')), ['openapi'])
})

t.test('the door of events exports these names, and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services/events')).sort(), ['default', 'memoryLog'])
})

t.test('the door of events in PostgreSQL exports these names, and no others', async (t) => {
  const names = ['postgresLog', 'postgresStore', 'postgresTables']
  t.same(Object.keys(await import('fastify-services/events/postgres')).sort(), names)
})

t.test('the door of events in Redis exports these names, and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services/events/redis')).sort(), ['redisLog', 'redisStore'])
})

t.test('the door of production exports these names, and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services/production')).sort(), ['default', 'serverOptions'])
})

t.test('the doors of adapters export a class and a function each', async (t) => {
  t.same(Object.keys(await import('fastify-services/memory')).sort(), ['MemoryService', 'memory'])
  t.same(Object.keys(await import('fastify-services/kysely')).sort(), ['KyselyService', 'kysely'])
  t.same(Object.keys(await import('fastify-services/drizzle')).sort(), ['DrizzleService', 'drizzle'])
  t.same(Object.keys(await import('fastify-services/prisma')).sort(), ['PrismaService', 'prismaModel'])
})

t.test('the door of tests exports these names, and no others', async (t) => {
  const names = ['adapterSuite', 'cheapHash', 'injectFetch', 'tokenFor']
  t.same(Object.keys(await import('fastify-services/testing')).sort(), names)
})

t.test('the door of agents exports a plugin', async (t) => {
  t.same(Object.keys(await import('fastify-services/mcp')), ['default'])
})

t.test('the door of the explorer exports a plugin', async (t) => {
  t.same(Object.keys(await import('fastify-services/explorer')), ['default'])
})

const exportedNames = [
  'BadGateway',
  'BadRequest',
  'Conflict',
  'Forbidden',
  'GeneralError',
  'Gone',
  'LengthRequired',
  'MethodNotAllowed',
  'NotAcceptable',
  'NotAuthenticated',
  'NotFound',
  'NotImplemented',
  'PayloadTooLarge',
  'PaymentError',
  'ServiceError',
  'Timeout',
  'TooManyRequests',
  'Unavailable',
  'Unprocessable',
  'UnsupportedMediaType',
  'UriTooLong',
  'commonOperators',
  'corsOptions',
  'default',
  'errorHandler',
  'frameworkErrors',
  'idempotency',
  'memoryStore',
  'notFound',
  'resource',
  'search',
  'stableOrder',
  'version'
]

t.test('the door exports these names and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services')).sort(), exportedNames)
})

t.test('the name of the package and the built files are one module', async (t) => {
  t.equal(await import('fastify-services'), source)
})

t.test('what is no door can not be imported', async (t) => {
  const inner: string = 'fastify-services/dist/lib/core/service.js'
  await t.rejects(import(inner), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' })
})

const floors: [files: RegExp, floor: number][] = [
  [/^types\//, 0],
  [/^lib\/schema\//, 1],
  // Workarounds for packages of others: each file imports nothing of the library.
  [/^lib\/compat\//, 1],
  [/^lib\/core\//, 2],
  [/^lib\/explorer\/(model|page)\//, 6],
  [
    /^(index|lib\/(client(\/events)?|authentication|database|events(\/redis)?|explorer|openapi|feathers)\/index)\.ts$/,
    5
  ],
  // Used by several subjects, and needs Node.
  [/^lib\/shared\//, 3],
  // Events and writes ask how a transaction has ended.
  [/^lib\/database\//, 3],
  // The wings of the server, from the lowest to the table of contents.
  [/^lib\/server\/request\//, 4.1],
  [/^lib\/server\/answer\//, 4.2],
  [/^lib\/server\/errors\//, 4.3],
  [/^lib\/server\/routing\//, 4.4],
  [/^lib\/server\//, 4.5],
  [/^lib\/(authentication|client|drizzle|events|explorer|kysely|memory|openapi|feathers|prisma|writes)\//, 4],
  // They stand on doors.
  [/^lib\/(accounts|mcp|production|testing)\//, 6]
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
  return from < to || (Math.floor(from) === Math.floor(to) && folderOf(file) !== folderOf(target))
}

t.test('every file stands on a floor', async (t) => {
  const homeless = sources.filter((file) => floorOf(file) === undefined)
  t.same(homeless, [])
  t.ok(edges.length > sources.length, 'the imports were read')
})

t.test('an import goes down, or sideways within its folder', async (t) => {
  t.same(edges.filter(climbs).map(shown), [])
})

t.test('the core and errors of databases know no Fastify and no Node', async (t) => {
  const core = edges.filter(({ file }) => /^lib\/(core|database|schema)\//.test(file))
  const foreign = core.filter((edge) => namesFastify(edge) || isBuiltin(edge.name))
  t.same(foreign.map(shown), [])
})

t.test('tables of inputs enter by the doors', async (t) => {
  const tables = filesIn(['test'], '.ts').filter((file) => basename(file).startsWith('whole'))
  t.ok(tables.length > 0)
  t.same(
    tables.filter((file) => importsOf(file).some((name) => name.startsWith('./lib/') && !name.endsWith('/index.js'))),
    []
  )
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

t.test('files are named for what they hold', async (t) => {
  const vague = sources.filter((file) => /^(utils?|helpers?|common|base)\.ts$/.test(basename(file)))
  t.same(vague, [])
})

const targetsOf = (file: string) =>
  importsOf(file)
    .filter((name) => name.startsWith('./'))
    .map((name) => name.slice(2).replace(/\.js$/, '.ts'))
const targets = new Map(sources.map((file) => [file, targetsOf(file)]))

/** The way from a file back to itself, `undefined` where there is none. */
function circleOf(file: string): string[] | undefined {
  const seen = new Set<string>()
  const search = (way: string[]): string[] | undefined => {
    for (const target of targets.get(way.at(-1) as string) ?? []) {
      if (target === file) return [...way, target]
      if (seen.has(target)) continue
      seen.add(target)
      const chain = search([...way, target])
      if (chain !== undefined) return chain
    }
    return undefined
  }
  return search([file])
}

t.test('no file imports itself through others, not even a type', async (t) => {
  t.ok(targets.get('index.ts')?.includes('lib/server/plugin.ts'), 'the imports were read')
  t.same(
    sources.flatMap((file) => circleOf(file) ?? []),
    []
  )
})
