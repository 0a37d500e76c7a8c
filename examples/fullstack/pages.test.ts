import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { servePage } from './pages.js'

test('the page and its program are there, and nothing else', async () => {
  const app = Fastify()
  await servePage(app)
  const page = await app.inject('/')
  assert.match(String(page.headers['content-type']), /text\/html/)
  assert.equal(page.headers['cache-control'], 'no-cache')
  const [program = ''] = /\/assets\/[^"]+\.js/.exec(page.body) ?? []
  assert.match(String((await app.inject(program)).headers['cache-control']), /immutable/)
  assert.equal((await app.inject('/projects')).statusCode, 404)
  await app.close()
})
