import { app } from './app.js'

console.log(`Try ${await app.listen({ port: Number(process.env.PORT ?? 3030) })}/messages`)
