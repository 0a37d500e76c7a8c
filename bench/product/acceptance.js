// What the issue tracker does, asked over HTTP: each side has to, before its lines are counted.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

const password = 'correct horse'
const newEmail = () => `Ada-${randomUUID()}@example.com`

/**
 * Asks a side.
 * @param {object} side how it differs: `logIn`, `toQuery`, `toStream`
 */
export async function accept({ logIn, toQuery, toStream }, url) {
  async function call(token, method, path, data) {
    const isForm = data instanceof FormData
    const response = await fetch(url + path, {
      method,
      headers: {
        origin: url, // as a page of this server sends it: Better Auth asks for it
        ...(token && { authorization: `Bearer ${token}` }),
        ...(data && !isForm && { 'content-type': 'application/json' })
      },
      body: isForm || data === undefined ? data : JSON.stringify(data)
    })
    const text = await response.text()
    return { status: response.status, body: text && JSON.parse(text) }
  }
  async function expect(status, ...request) {
    const response = await call(...request)
    assert.equal(response.status, status, `${request[1]} ${request[2]}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  async function tokenOf(email) {
    const { status, token } = await logIn((...request) => call(undefined, ...request), email, password)
    assert.ok(status < 300 && token, `a log-in is answered ${status}`)
    return token
  }
  async function signUp() {
    const email = newEmail()
    const user = await expect(201, undefined, 'POST', '/sign-ups', { organisation: 'Engines', email, password })
    assert.equal(user.role, 'owner')
    assert.equal(user.email, email.toLowerCase())
    return { email, user, token: await tokenOf(email.toUpperCase()) }
  }

  // Users.
  const { email, token: owner } = await signUp()
  await expect(409, undefined, 'POST', '/sign-ups', { organisation: 'Other', email: email.toUpperCase(), password })
  await expect(400, undefined, 'POST', '/sign-ups', { organisation: 'Other', email: newEmail(), password: 'short' })
  const refused = await logIn((...request) => call(undefined, ...request), email, 'wrong password')
  assert.equal(refused.status, 401)
  await expect(401, undefined, 'GET', '/projects')
  const bob = newEmail()
  const { id: bobId } = await expect(201, owner, 'POST', '/users', { email: bob, password, role: 'member' })
  const member = await tokenOf(bob)
  await expect(403, member, 'POST', '/users', { email: newEmail(), password, role: 'owner' })
  await expect(403, member, 'PATCH', `/users/${bobId}`, { role: 'owner' })
  await expect(409, owner, 'POST', '/users', { email: bob, password, role: 'member' })
  const users = await expect(200, member, 'GET', '/users')
  assert.equal(users.total, 2)
  assert.deepEqual(Object.keys(users.data[0]).sort(), ['email', 'id', 'organisationId', 'role'])

  // Projects.
  await expect(403, member, 'POST', '/projects', { name: 'Loom' })
  await expect(400, owner, 'POST', '/projects', { name: '' })
  await expect(400, owner, 'POST', '/projects', { name: 'Loom', organisationId: 1 })
  const project = await expect(201, owner, 'POST', '/projects', { name: 'Loom' })
  await expect(200, owner, 'PATCH', `/projects/${project.id}`, { name: 'Jacquard loom' })
  const { name } = await expect(200, member, 'GET', `/projects/${project.id}`)
  assert.equal(name, 'Jacquard loom')
  const other = await expect(201, owner, 'POST', '/projects', { name: 'Mill' })

  // Issues, and their list.
  const list = `/projects/${project.id}/issues`
  const stream = await listen(url + toStream(list), member)
  const issues = []
  for (const title of ['It is slow', 'It jams', 'It is loud'])
    issues.push(await expect(201, member, 'POST', list, { title }))
  assert.equal(issues[0].authorId, bobId)
  assert.equal(issues[0].state, 'open')
  await expect(400, member, 'POST', list, { title: 'New', state: 'closed' })
  await expect(404, member, 'POST', '/projects/999999/issues', { title: 'New' })
  const closed = await expect(200, member, 'POST', `${list}/${issues[0].id}/close`)
  assert.equal(closed.state, 'closed')
  await expect(200, member, 'PATCH', `${list}/${issues[1].id}`, { title: 'It jams again' })
  const page = await expect(
    200,
    member,
    'GET',
    list + toQuery({ filter: { state: 'open' }, limit: 1, skip: 1, descending: true })
  )
  assert.equal(page.total, 2)
  assert.deepEqual(
    page.data.map(({ id }) => id),
    [issues[1].id]
  )
  await expect(400, member, 'GET', list + toQuery({ filter: { state: 'lost' } }))
  await expect(403, member, 'DELETE', `${list}/${issues[2].id}`)
  await expect(200, owner, 'DELETE', `${list}/${issues[2].id}`)
  await expect(404, owner, 'GET', `${list}/${issues[2].id}`)
  await expect(404, owner, 'GET', `/projects/${other.id}/issues/${issues[0].id}`)

  // Comments and files.
  const comments = `${list}/${issues[0].id}/comments`
  const comment = await expect(201, member, 'POST', comments, { text: 'Since when?' })
  assert.equal(comment.authorId, bobId)
  await expect(404, member, 'GET', `/projects/${other.id}/issues/${issues[0].id}/comments`)
  await expect(200, member, 'PATCH', `${comments}/${comment.id}`, { text: 'Since May?' })
  assert.equal((await expect(200, member, 'GET', comments)).data[0].text, 'Since May?')
  const form = new FormData()
  form.set('file', new File(['12 rows a day'], 'speed.txt'))
  const files = `${list}/${issues[0].id}/files`
  const file = await expect(201, member, 'POST', files, form)
  assert.equal(file.name, 'speed.txt')
  assert.deepEqual(await expect(200, member, 'GET', `${files}/${file.id}`), file)
  assert.equal('bytes' in file, false)

  // Another organisation.
  const { token: stranger } = await signUp()
  assert.equal((await expect(200, stranger, 'GET', '/projects')).total, 0)
  for (const path of [`/projects/${project.id}`, list, `${list}/${issues[0].id}`, comments, files, `/users/${bobId}`])
    await expect(404, stranger, 'GET', path)
  await expect(404, stranger, 'PATCH', `/projects/${project.id}`, { name: 'Mine' })
  await expect(404, stranger, 'POST', `${list}/${issues[0].id}/close`)

  // Who looked at the list has heard of three new issues, two that changed and one that is gone.
  for (let tries = 0; stream.ids.length < 6 && tries < 100; tries++) await wait(50)
  assert.deepEqual(
    stream.ids,
    [0, 1, 2, 0, 1, 2].map((index) => issues[index].id)
  )
  stream.close()
}

/** Opens a stream of events. `ids` are those that its messages name. */
async function listen(url, token) {
  const end = new AbortController()
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
  const { status, body } = await fetch(url, { headers, signal: end.signal })
  assert.equal(status, 200)
  const ids = []
  const read = async () => {
    let rest = ''
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const messages = (rest + text).split('\n\n')
      rest = messages.pop()
      for (const message of messages) {
        const id = /"id":(\d+)/.exec(message)?.[1]
        if (id) ids.push(Number(id))
      }
    }
  }
  read().catch(() => {})
  return { ids, close: () => end.abort() }
}
