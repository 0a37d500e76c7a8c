import { randomBytes } from 'node:crypto'
import { createBlog } from './app.js'

const app = await createBlog(process.env.AUTH_SECRET ?? randomBytes(64), true)
const address = await app.listen({ port: Number(process.env.PORT ?? 3030), host: process.env.HOST ?? 'localhost' })
console.log(`The blog is at ${address}: look at it by ${address}/explorer. Its document is at ${address}/openapi.json`)
