import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { app } from './app.js'

after(() => app.close())

test('a message is stored, changed and removed', async () => {
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    (await app.inject({ method, url, ...(payload && { payload }) })).json()
  assert.deepEqual(await send('POST', '/messages', { text: 'Hello' }), { id: 1, text: 'Hello' })
  assert.deepEqual(await send('PATCH', '/messages/1', { text: 'Bye' }), { id: 1, text: 'Bye' })
  assert.equal((await send('GET', '/messages')).total, 1)
  await send('DELETE', '/messages/1')
  assert.equal((await app.inject('/messages/1')).statusCode, 404)
})

test('what is no message is refused, with the field', async () => {
  const response = await app.inject({ method: 'POST', url: '/messages', payload: { text: '', id: 7 } })
  assert.equal(response.statusCode, 400)
  const { errors }: { errors: { instancePath: string }[] } = response.json()
  assert.deepEqual(
    errors.map(({ instancePath }) => instancePath),
    ['/id', '/text']
  )
})
