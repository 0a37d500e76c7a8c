import t from 'tap'
import { toActionLabel, toButtonLabel, toOutcome } from '../../lib/explorer/model/labels.js'
import { findServices, firstService, type ServiceNode, toServiceTree } from '../../lib/explorer/model/navigation.js'
import { servicesIn } from '../../lib/explorer/model/services.js'
import { json, mark, object } from './documents.js'

const paths: Record<string, object> = {}
const add = (path: string, method: string, more: object = {}) => {
  const url = `/${path.replace(/:(\w+)/g, '{$1}')}`
  paths[url] = {
    ...paths[url],
    [method]: { ...mark(method), ...json(object('a')), ...more, 'x-service': { path, method } }
  }
}
const guarded = { security: [{ BearerAuth: [] }] }
add('users', 'find', guarded)
add('users', 'create')
add('posts/:post/comments/:comment/votes', 'find')
add('posts', 'find', { security: [{ BearerAuth: [] }, {}], summary: 'Find records of posts' })
add('posts', 'sendMail', { summary: 'Tell the readers' })
add('posts/:post/comments', 'find')
add('posts-old', 'find')
add('login', 'create')
const services = servicesIn({ paths, tags: [{ name: 'posts-old', description: 'An archive.' }] })

const plain = ({ label, inside }: ServiceNode): unknown => (inside.length === 0 ? label : [label, inside.map(plain)])

t.test('services stand within those whose paths they go on', async (t) => {
  t.strictSame(toServiceTree(services.values()).map(plain), [
    '/users',
    ['/posts', [['/:post/comments', ['/:comment/votes']]]],
    '/posts-old',
    '/login'
  ])
  const root = servicesIn({ paths: { '/': { get: { 'x-service': { path: '', method: 'find' } } } } })
  t.strictSame(toServiceTree([...root.values(), ...services.values()]).length, 5, 'nothing stands within the root')
})

t.test('a tree of many services is made in one walk', async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, index) => {
      const path = `area-${index % 100}${index < 100 ? '' : `/part-${index}`}`
      return [`/${path}`, { get: { 'x-service': { path, method: 'find' } } }]
    })
  )
  const tree = toServiceTree(servicesIn({ paths: many }).values())
  t.strictSame([tree.length, tree[7]?.inside.length, tree[7]?.inside[0]?.label], [100, 299, '/part-107'])
})

t.test('services and methods are found by their words', async (t) => {
  const namesOf = (text: string) =>
    findServices(services.values(), text).map(({ service, operations }) => [
      service.path,
      ...operations.map(({ label }) => label)
    ])
  t.strictSame(namesOf('ARCHIVE'), [['posts-old']])
  t.strictSame(namesOf('send mail'), [['posts', 'Tell the readers']])
  t.strictSame(namesOf('comments votes'), [['posts/:post/comments/:comment/votes']])
  t.strictSame(namesOf('tell posts'), [['posts', 'Tell the readers']])
  t.strictSame(namesOf('nothing'), [])
})

t.test('the page begins with what may be read', async (t) => {
  const first = (mayRead: boolean, list = [...services.values()]) =>
    firstService(list, ({ isGuarded }) => mayRead || !isGuarded)?.path
  t.equal(first(false), 'posts')
  t.equal(first(true), 'users')
  t.equal(
    first(
      false,
      [...services.values()].filter(({ path }) => path === 'users')
    ),
    'users'
  )
  t.equal(
    first(
      false,
      [...services.values()].filter(({ path }) => path === 'login')
    ),
    'login'
  )
  t.equal(first(false, []), undefined)
})

t.test('methods are called as people write', async (t) => {
  const names = [
    'create',
    'update',
    'patch',
    'remove',
    'publish',
    'archiveAll',
    'send-mail',
    'toString',
    '__proto__',
    ''
  ]
  t.strictSame(
    names.map((name) => [toActionLabel(name), toButtonLabel(name), toOutcome(name)]),
    [
      ['Create', 'Create', 'Created.'],
      ['Replace', 'Replace', 'Replaced.'],
      ['Edit', 'Save', 'Saved.'],
      ['Remove', 'Remove', 'Removed.'],
      ['Publish', 'Publish', 'Done.'],
      ['Archive all', 'Archive all', 'Done.'],
      ['Send mail', 'Send mail', 'Done.'],
      ['To string', 'To string', 'Done.'],
      [' proto ', ' proto ', 'Done.'],
      ['', '', 'Done.']
    ]
  )
})
