import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

// What each verb gets at each URL.

const six = ['find', 'get', 'create', 'update', 'patch', 'remove']
const routes = {
  publish: 'POST /:id/publish',
  hide: 'PATCH /:id/comments/:commentId',
  clear: 'DELETE /:id/comments',
  stats: 'GET /stats',
  settings: 'PUT /settings/',
  tagged: 'GET /tagged/:tag'
} as const
const all = [...six, ...Object.keys(routes), 'archive']
const paths: Record<string, readonly string[]> = {
  posts: all,
  'posts/featured': ['get', 'patch', 'archive'],
  'users/:userId/posts': ['find', 'get', 'patch', 'remove', 'publish', 'archive'],
  'items/:id/parts': ['find', 'get', 'update', 'publish', 'hide'],
  'found/deep': ['find'],
  made: ['create', 'tagged'],
  ':room/things/:thing': ['patch', 'get'],
  none: []
}

/** Answers which method of which service was called, and with what. */
function answer(context: HookContext) {
  const { path, method, params } = context
  const args = [...context.arguments.slice(0, -1), params.route, params.query]
  context.result = `${path}.${method} ${args.map((arg) => JSON.stringify(arg)).join(' ')}`
}

function add(app: FastifyInstance, path: string, names: readonly string[]) {
  const object = Object.fromEntries(['find', ...names].map((name) => [name, Object]))
  const named = Object.entries(routes).filter(([name]) => names.includes(name))
  app.service(path, object, { methods: names, routes: Object.fromEntries(named) })
}

async function create(register: (app: FastifyInstance) => unknown, server: object = {}) {
  const app = Fastify(server as FastifyServerOptions)
  await app.register(services, { errorHandler: { html: false, logger: false }, hooks: { before: [answer] } as never })
  register(app)
  return app
}
function addAll(app: FastifyInstance) {
  for (const [path, names] of Object.entries(paths)) add(app, path, names)
}

const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const few = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** What comes of verbs at some URLs, in one line each. Where there is no route, Fastify answers, and nothing is told. */
async function ask(app: FastifyInstance, urls: string, some: readonly (typeof verbs)[number][] = verbs) {
  const answers: Record<string, string> = {}
  for (const url of urls.split(/\s+/))
    for (const method of some) {
      const { statusCode, headers, body } = await app.inject({ method, url, ...(method[0] === 'P' && { payload: {} }) })
      const length = `${headers['content-length']} bytes`
      const text = body === '' ? length : (JSON.parse(body).message ?? JSON.parse(body))
      if (statusCode !== 404)
        answers[`${method} ${url}`] = `${[statusCode, headers.allow ?? [], text].flat().join(' ')}`
    }
  return answers
}

const urls = `/ // /posts /posts/ /posts/1 /posts/1/ /posts// /posts//1 //posts /posts?x=1 /posts/1?x=1 /posts;x=1
  /posts/1;x=1?y /posts/stats /posts/stats/ /posts/stats/1 /posts/settings /posts/1/publish /posts/1/publish/ /posts//publish
  /posts/tagged/publish /posts/settings/publish /posts/stats/comments
  /posts/1/2 /posts/1/comments /posts/1/comments/ /posts/1/comments/2 /posts//comments /posts//comments/2 /posts/tagged
  /posts/tagged/ /posts/tagged/a /posts/featured /posts/featured/ /posts/featured/1 /posts/featured/publish /POSTS
  /Posts/STATS /posts/1/Publish /posts/%31 /posts/a%2Fb /posts/a%20b /posts/123456789 /post /users/1/posts /users//posts
  /users/1/posts/ /users/1/posts/2 /users//posts/2 /users/1/posts/2/publish /users/1/posts//publish /users//posts/2/publish
  /users/1 /items/1/parts /items//parts /items/1/parts/ /items/1/parts/2 /items/1/parts/2/publish /items/1/parts//publish
  /items/1/parts/2/comments/3 /items/1/parts/2/comments/ /found/deep /found/deep/ /found/deep/1 /found /made /made/1
  /made/tagged/a /made/tagged/ /none /none/ /none/1 /a/things/b /a/things/b/1 //things/b/1 /a/things//1 /a/things/b/
  /posts/things/b /posts/things/b/1 http://other/posts http://other/posts/ /posts/?a=/b/ /posts?a=//`

const routers: Record<string, object> = {
  'case-insensitive': { caseSensitive: false },
  'slashes behind': { ignoreTrailingSlash: true },
  'slashes doubled': { ignoreDuplicateSlashes: true },
  semicolons: { useSemicolonDelimiter: true },
  'short values': { maxParamLength: 8 },
  both: { caseSensitive: false, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true }
}

t.test('each verb at each URL, and what is another one by the options of the router', async (t) => {
  const usual = await ask(await create(addAll), urls)
  const others: Record<string, unknown> = {}
  for (const [name, routerOptions] of Object.entries(routers)) {
    const answers = Object.entries(await ask(await create(addAll, { routerOptions }), urls, few))
    others[name] = Object.fromEntries(answers.filter(([request, answer]) => answer !== usual[request]))
  }
  isKept(t, { usual, ...others }, 'test/server/whole-routes.txt')
})

const under = (prefix: string, path: string, names: readonly string[]) => (app: FastifyInstance) =>
  void app.register(async (app) => add(app, path, names), { prefix })
const places: Record<string, (app: FastifyInstance) => unknown> = {
  root: (app) => add(app, '/', all),
  'a root of few': (app) => add(app, '', ['get', 'patch']),
  'slashes doubled in one of two': (app) => {
    for (const path of ['a//b', 'a/b']) add(app, path, ['find'])
  },
  'under /v1': under('/v1', '/', [...six, 'publish']),
  'under /v1/': under('/v1/', '', ['find', 'patch']),
  'under /v1/:id': under('/v1/:id', 'a/', ['get', 'create', 'remove'])
}

t.test('services at the root, and under prefixes', async (t) => {
  const answers: Record<string, unknown> = {}
  const urls = '/ /1 /1/ /stats /1/publish //publish /v1 /v1/ /v1/1 /v1/1/publish /v1/1/a /v1/1/a/ /v1/1/a/2 /a/b /a//b'
  for (const [name, register] of Object.entries(places))
    for (const ignoreTrailingSlash of [false, true])
      answers[`${name}, slashes behind: ${ignoreTrailingSlash}`] = await ask(
        await create(register, { routerOptions: { ignoreTrailingSlash } }),
        urls
      )
  isKept(t, answers, 'test/server/whole-routes-places.txt')
})

const near: Record<string, readonly string[]> = {
  Rooms: ['get', 'patch', 'update'],
  'rooms/Featured': ['find'],
  'a//b': ['get', 'patch'],
  'a/b/settings': ['find'],
  notes: ['get', 'patch', 'stats'],
  'notes/stats/deep': ['find', 'patch'],
  'notes/:noteId/lines': ['find', 'remove'],
  pages: ['get', 'update', 'remove', 'publish'],
  'pages/:id/publish/more': ['find'],
  alone: ['get', 'patch', 'publish', 'tagged'],
  'alone-too': ['patch', 'clear', 'hide']
}

t.test('services near each other, however their paths are spelt', async (t) => {
  const answers: Record<string, unknown> = {}
  const urls = `/rooms/1 /Rooms/1 /rooms/featured /Rooms/Featured /ROOMS/Featured /rooms/Featured /Rooms/ /a/b/1 /a//b/1 /a/b/settings
    /a//b/settings /notes/1 /notes/stats /notes/stats/ /notes/stats/deep /notes/stats/deep/1 /notes/1/lines /notes/stats/lines
    /notes//lines /notes/lines /pages/1 /pages/1/publish /pages/1/publish/more /pages//publish /alone/1 /alone/ /alone/tagged
    /alone/tagged/a /alone/tagged/publish /alone/1/publish /alone//publish /alone-too/1 /alone-too/1/comments /alone-too//comments
    /alone-too/1/comments/2 /alone-too//comments/2`
  for (const routerOptions of [{}, { caseSensitive: false }, { ignoreDuplicateSlashes: true }]) {
    const both: Record<string, string>[] = []
    for (const paths of [Object.entries(near), Object.entries(near).reverse()]) {
      const app = await create(Boolean, { routerOptions })
      for (const [path, names] of paths) add(app, path, names)
      both.push(await ask(app, urls, few))
    }
    t.strictSame(both[0], both[1], 'in whatever order they are registered')
    const usual = Object(answers['']) as Record<string, string>
    const others = Object.entries(Object(both[0])).filter(([request, answer]) => usual[request] !== answer)
    answers[Object.keys(routerOptions).join()] = Object.fromEntries(others)
  }
  isKept(t, answers, 'test/server/whole-routes-near.txt')
})
