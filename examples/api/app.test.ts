import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { Conflict, Forbidden, NotAuthenticated, NotFound } from 'fastify-services/client'
import { createApp } from './app.js'
import { connect } from './client.js'
import { openDatabase } from './database.js'

// The whole application, on a database in memory, by the client that pages use.
let app: FastifyInstance
let url: string

before(async () => {
  app = await createApp({ database: await openDatabase(), secret: randomBytes(64) })
  url = await app.listen({ port: 0 })
})
after(() => app.close())

const password = 'correct horse'

/** Signs up, with an organisation of one's own, and logs in. */
async function signUp(name: string) {
  const client = connect(url)
  const email = `${name.toLowerCase()}@example.com`
  const user = await client.service('sign-ups').create({ organisation: `${name}'s`, name, email, password })
  await client.authenticate({ strategy: 'local', email, password })
  return { client, user, email }
}

test('who signs up is the owner of an organisation, and an address is taken once', async () => {
  const { client, user, email } = await signUp('Ada')
  assert.equal(user.role, 'owner')
  const organisation = await client.service('organisations').get(user.organisationId)
  assert.deepEqual(organisation, { id: user.organisationId, name: "Ada's" })
  const again = { organisation: 'Other', name: 'Eve', email: email.toUpperCase(), password }
  await assert.rejects(connect(url).service('sign-ups').create(again), Conflict)
  await assert.rejects(connect(url).service('projects').find(), NotAuthenticated)
})

test('members work on issues, and owners alone remove them', async () => {
  const { client: owner } = await signUp('Bob')
  const cy = await owner.service('users').create({ email: 'cy@example.com', name: 'Cy', role: 'member', password })
  const member = connect(url)
  await member.authenticate({ strategy: 'local', email: 'cy@example.com', password })

  const project = await member.service('projects').create({ name: 'Loom' })
  const route = { projectId: project.id }
  const issues = member.service('projects/:projectId/issues')
  const issue = await issues.create({ title: 'It is slow' }, { route })
  assert.equal(issue.state, 'open')
  assert.equal(issue.authorId, cy.id)
  assert.equal((await issues.close(issue.id, {}, { route })).state, 'closed')
  assert.equal((await issues.find({ route, query: { state: 'open' } })).total, 0)
  await assert.rejects(issues.remove(issue.id, { route }), Forbidden)
  await assert.rejects(member.service('users').patch(cy.id, { role: 'owner' }), Forbidden)
  await owner.service('projects/:projectId/issues').remove(issue.id, { route })
})

test('a list keeps its order when a record in it changes', async () => {
  const projects = (await signUp('Mae')).client.service('projects')
  const first = await projects.create({ name: 'Loom' })
  const second = await projects.create({ name: 'Engine' })
  await projects.patch(first.id, { name: 'Looms' })
  const { data } = await projects.find()
  assert.deepEqual(
    data.map(({ id }) => id),
    [first.id, second.id]
  )
})

test('nobody sees what another organisation has', async () => {
  const { client: ada, user } = await signUp('Grace')
  const { client: eve } = await signUp('Eve')
  const { id } = await ada.service('projects').create({ name: 'Compiler' })
  assert.equal((await eve.service('projects').find()).total, 0)
  await assert.rejects(eve.service('projects').get(id), NotFound)
  await assert.rejects(eve.service('projects/:projectId/issues').find({ route: { projectId: id } }), NotFound)
  await assert.rejects(eve.service('users').get(user.id), NotFound)
  await assert.rejects(eve.service('organisations').patch(user.organisationId, { name: 'Mine' }), NotFound)
})

test('who looks at a list hears of what changes in it', async () => {
  const { client, email } = await signUp('Lin')
  const { accessToken } = await client.authenticate({ strategy: 'local', email, password })
  const { id: projectId } = await client.service('projects').create({ name: 'Loom' })
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${accessToken}` }
  const { status, body } = await fetch(`${url}/projects/${projectId}/issues`, { headers })
  assert.equal(status, 200)
  assert.ok(body)
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  assert.match(String((await reader.read()).value), /"event":"connected"/)
  const issue = await client.service('projects/:projectId/issues').create({ title: 'New' }, { route: { projectId } })
  const { value } = await reader.read()
  assert.ok(value?.includes(`"event":"created","data":{"id":${issue.id}}`), value)
  await client.service('projects/:projectId/issues').close(issue.id, {}, { route: { projectId } })
  assert.ok((await reader.read()).value?.includes(`"event":"patched","data":{"id":${issue.id}}`))
  await reader.cancel()
})

test('all addresses are there, with the document, the explorer and the health', async () => {
  const { paths } = (await app.inject('/openapi.json')).json()
  assert.ok('/projects/{projectId}/issues/{id}/close' in paths)
  for (const path of ['/explorer', '/explorer/document.json'])
    assert.equal((await app.inject(path)).statusCode, 200, path)
  assert.deepEqual((await app.inject('/health')).json(), { status: 'ok' })
  for (const path of ['/organisations/1', '/users', '/projects', '/projects/1/issues'])
    assert.equal((await app.inject(path)).statusCode, 401, path)
  for (const path of ['/sign-ups', '/authentication']) assert.equal((await app.inject(path)).statusCode, 405, path)
})
