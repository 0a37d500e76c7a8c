import { BadRequest } from 'fastify-services/client'
import { connect } from './client.js'

// What a visitor does, by the typed client: start the blog first.
const blog = connect(process.env.BLOG ?? 'http://localhost:3030')
const email = `visitor-${Date.now()}@example.com`
const password = 'correct horse'

await blog.service('users').create({ email, name: 'Visitor', password })
await blog.authenticate({ strategy: 'local', email, password })

const draft = await blog.service('posts').create({ title: 'A visit', text: 'It was nice', tags: ['travel'] })
const post = await blog.service('posts').publish(draft.id)
console.log(`${post.title}: ${post.words} words, published: ${post.published}`)

const route = { postId: String(post.id) }
await blog.service('posts/:postId/comments').create({ text: 'Indeed' }, { route })
const comments = await blog.service('posts/:postId/comments').find({ route, query: { $sort: { id: -1 } } })
console.log(`Comments: ${comments.data.map(({ text }) => text).join(', ')}`)

const form = new FormData()
form.set('title', 'The sea')
form.set('file', new Blob(['waves']), 'sea.txt')
const picture = await blog.service('pictures').create(form)
console.log(`${picture.title}: ${picture.bytes} bytes`)

try {
  await blog.service('posts').create({ title: '', text: '', tags: [] })
} catch (error) {
  if (!(error instanceof BadRequest)) throw error
  console.log(error.message)
}
await blog.logout()
