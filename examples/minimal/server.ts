import { app } from './app.js'

console.log(`Open ${await app.listen({ port: Number(process.env.PORT ?? 3030) })}`)
