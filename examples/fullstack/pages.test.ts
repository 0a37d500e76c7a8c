import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createApp } from './app.js'
import { openDatabase } from './database.js'
import { servePage } from './pages.js'

test('the page stands beside the services, as main.ts starts them', async () => {
  const app = await createApp({ database: await openDatabase(), secret: randomBytes(64), cookie: true })
  await servePage(app)
  const page = await app.inject('/')
  assert.match(String(page.headers['content-type']), /text\/html/)
  assert.equal(page.headers['cache-control'], 'no-cache')
  const [program = ''] = /\/assets\/[^"]+\.js/.exec(page.body) ?? []
  assert.match(String((await app.inject(program)).headers['cache-control']), /immutable/)
  for (const path of ['/openapi.json', '/explorer', '/explorer/document.json', '/health'])
    assert.equal((await app.inject(path)).statusCode, 200, path)
  for (const path of ['/organisations/1', '/users', '/projects', '/projects/1/issues'])
    assert.equal((await app.inject(path)).statusCode, 401, path)
  for (const path of ['/sign-ups', '/authentication']) assert.equal((await app.inject(path)).statusCode, 405, path)
  assert.equal((await app.inject('/events?subscribe[0][path]=projects')).statusCode, 401)
  await app.close()
})
