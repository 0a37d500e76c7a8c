import { MemoryService } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import { type AllowOptions, allow, own, type ScopeOptions, scope, within } from 'fastify-services/authentication'
import t from 'tap'
import { createApp } from './callers.js'

// What is misspelt in permissions would forbid what it seems to allow, or leave open what it seems to hold: it stops the start.

type Hook = ReturnType<typeof allow>
const around = (hook: Hook) => ({ hooks: { around: { all: [hook] } } })
const posts = () => ({ find: async () => [], get: async () => ({ id: 1 }), publish: async () => ({ id: 1 }) })
const methods = ['find', 'get', 'publish'] as const

/** Starts an application with the services `posts`, which has a custom method, and `notes`, which has the hook. */
const startWith = (hook: Hook) => (app: FastifyInstance) => {
  app.service('notes', new MemoryService(), around(hook))
  app.service('posts', posts(), { methods })
}

const noMethod: [Hook, string][] = [
  [allow({ member: { fnd: true } }), "names 'fnd', which is no method of a service. Did you mean 'find'?"],
  [allow({ member: { Find: ['id'] } }), "names 'Find', which is no method of a service. Did you mean 'find'?"],
  [
    allow({ admin: true, member: { publsh: true } }),
    "names 'publsh', which is no method of a service. Did you mean 'publish'?"
  ],
  [allow({ member: { archive: false } }), "names 'archive', which is no method of a service"]
]

t.test('a role that may call what is no method', async (t) => {
  for (const [hook, message] of noMethod)
    await t.rejects(createApp(t, startWith(hook)), { message: `allow at 'notes' ${message}` }, message)
})

t.test('hooks that services share may name the methods of each of them', async (t) => {
  const roles = allow(
    { member: { find: true, publish: true } },
    { except: ['posts', 'notes.find', 'publish', 'patch'] }
  )
  const add = (app: FastifyInstance) => {
    startWith(roles)(app)
    app.service('posts').hooks(around(roles).hooks as object)
  }
  await t.resolves(createApp(t, add))
  await t.resolves(createApp(t, startWith(own('userId')), { hooks: { around: { all: [roles] } } }))
})

const named = (name: string) => `its option \`except\` names '${name}', which is no service and no method of one`
const exceptions: [string, string | undefined][] = [
  ['fnd', 'find'],
  ['publsh', 'publish'],
  ['post', 'posts'],
  ['posts.fnd', 'posts.find'],
  ['notes.publish', undefined],
  ['countries', undefined]
]

t.test('what is left alone is a service, or a method of one', async (t) => {
  const helpers: Record<string, (options: ScopeOptions & AllowOptions) => Hook> = {
    allow: (options) => allow({ member: true }, options),
    own: (options) => own('userId', options),
    scope: (options) => scope(() => true, options)
  }
  for (const [helper, make] of Object.entries(helpers))
    for (const [name, likely] of exceptions) {
      const hint = likely === undefined ? '' : `. Did you mean '${likely}'?`
      const message = `${helper} at 'notes': ${named(name)}, as in 'posts', 'posts.find' or 'find'${hint}`
      await t.rejects(createApp(t, startWith(make({ except: [name] }))), { message }, message)
    }
})

t.test('within: the names of methods, and the other service, which may be registered later', async (t) => {
  const start = (hook: Hook, parent: string, service: object = posts()) =>
    createApp(t, (app) => {
      app.service('projects/:projectId/notes', new MemoryService(), around(hook))
      app.service(parent, service)
    })
  await t.rejects(start(within('project'), 'projects'), {
    message:
      "within('project') at 'projects/:projectId/notes': There is no service 'project'. Registered: 'projects/:projectId/notes', 'projects'. Did you mean 'projects'?"
  })
  await t.rejects(start(within('projects', { except: ['fnd'] }), 'projects'), {
    message: `within at 'projects/:projectId/notes': ${named('fnd')}`
  })
  await t.rejects(start(within('projects'), 'project'), {
    message: "within('projects') at 'projects/:projectId/notes': There is no service 'projects'. Registered: 'projects/"
  })
  await t.rejects(start(within('projects'), 'projects', { find: async () => [] }), {
    message: "within('projects') at 'projects/:projectId/notes' needs a method 'get' of that service"
  })
  await t.resolves(start(within('projects', { except: ['find'] }), 'projects'))
})

t.test('what is no field of the record itself', async (t) => {
  for (const field of ['owner.id', '$owner'])
    t.throws(() => own(field), { message: `own can't have the field '${field}': only fields of the record itself` })
})

t.test('permissions of no roles', async (t) => {
  for (const roles of [undefined, null, 'admin', ['admin'], true, () => true])
    t.throws(() => allow(roles as never), /^allow needs the permissions of each role: allow\(\{ admin: true/)
})
