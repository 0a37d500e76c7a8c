import closeWithGrace from 'close-with-grace'
import { app } from './app.js'

closeWithGrace(async ({ err }) => {
  if (err) console.error(err)
  await app.close()
})
console.log(`Try ${await app.listen({ port: Number(process.env.PORT ?? 3030) })}/messages`)
