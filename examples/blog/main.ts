import { randomBytes } from 'node:crypto'
import { createBlog } from './app.js'

const app = await createBlog(process.env.AUTH_SECRET ?? randomBytes(64))
console.log(`The blog is at ${await app.listen({ port: 3030 })}, and its document at /openapi.json`)
