import { randomBytes } from 'node:crypto'
import closeWithGrace from 'close-with-grace'
import { createBlog } from './app.js'

const app = await createBlog(process.env.AUTH_SECRET ?? randomBytes(64), true)
// On a signal, calls in flight are answered. On an error that nobody has caught, too, and then the process ends with 1.
closeWithGrace({ delay: 9_000 }, async ({ err }) => {
  if (err) console.error(err)
  await app.close()
})
const address = await app.listen({ port: Number(process.env.PORT ?? 3030), host: process.env.HOST ?? 'localhost' })
console.log(`The blog is at ${address}: look at it by ${address}/explorer. Its document is at ${address}/openapi.json`)
