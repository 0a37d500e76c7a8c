import { resource } from 'fastify-services'
import { Type } from 'typebox'
import { routes } from './services.js'

// A schema says what clients may send, what a query may ask for and what leaves; types and the document follow from it.
const id = Type.Integer()
const name = Type.String({ minLength: 1, maxLength: 100 })
const email = Type.String({ format: 'email', maxLength: 254 })
const password = Type.String({ minLength: 8, maxLength: 1024 })
const role = Type.Union([Type.Literal('owner'), Type.Literal('member')])

export const organisations = resource(Type.Object({ id, name }, { title: 'Organisation' }), { readOnly: ['id'] })

const user = { id, organisationId: id, email, name, role }
export const users = resource(Type.Object({ ...user, password }, { title: 'User' }), {
  readOnly: ['id', 'organisationId'],
  writeOnly: ['password'],
  methods: { update: false }
})

export const signUps = resource(Type.Object({ organisation: name, email, name, password }, { title: 'SignUp' }), {
  response: Type.Object(user, { title: 'User' })
})

export const projects = resource(Type.Object({ id, organisationId: id, name }, { title: 'Project' }), {
  readOnly: ['id', 'organisationId']
})

const state = Type.Union([Type.Literal('open'), Type.Literal('closed')])
const authorId = Type.Union([id, Type.Null()], { description: 'Nobody, once the user is removed.' })
const createdAt = Type.String({ format: 'date-time' })
const { close, reopen } = routes['projects/:projectId/issues']
const text = Type.Optional(Type.String({ maxLength: 10_000 }))
export const issues = resource(
  Type.Object({ id, projectId: id, authorId, title: name, text, state, createdAt }, { title: 'Issue' }),
  {
    readOnly: ['id', 'projectId', 'authorId', 'state', 'createdAt'],
    filter: ['state', 'authorId', 'createdAt'],
    // Lists hear of these methods as of a patch.
    methods: {
      close: { route: close, event: 'patched', allow: ['member'] },
      reopen: { route: reopen, event: 'patched', allow: ['member'] }
    }
  }
)
