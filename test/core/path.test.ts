import t from 'tap'
import { joinPath, stripSlashes } from '../../lib/core/path.js'
import { createApp } from '../support/core.js'

t.test('strip slashes', async (t) => {
  const rows = [
    ['messages', 'messages'],
    ['/messages', 'messages'],
    ['messages/', 'messages'],
    ['//a/b///', 'a/b'],
    ['/', ''],
    ['', ''],
    ['/a//b/', 'a//b']
  ] as const
  for (const [path, name] of rows) t.equal(stripSlashes(path), name, path)
})

t.test('join paths', async (t) => {
  t.equal(joinPath('/v1/', '/messages'), 'v1/messages')
  t.equal(joinPath('', 'messages'), 'messages')
  t.equal(joinPath('/v1', '/'), 'v1')
  t.equal(joinPath('/', '/'), '')
  t.equal(joinPath('a/b', ':id', 'c'), 'a/b/:id/c')
})

t.test('a service is looked up with slashes or without', async (t) => {
  const { app } = await createApp(t)
  const paths: string[] = []
  const service = app.service(
    '/users/:userId/messages/',
    { find: async () => [] },
    {
      hooks: {
        before: {
          all: (context) => {
            paths.push(context.path)
          }
        }
      }
    }
  )
  for (const path of ['users/:userId/messages', '/users/:userId/messages', 'users/:userId/messages/'])
    t.equal(app.service(path), service)
  await service.find()
  t.same(paths, ['users/:userId/messages'])
})
