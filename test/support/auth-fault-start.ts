import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'

// An application as users write it: started as a process of its own, to see that it does not listen where it must not.
const app = Fastify()
await app.register(services)
app.service('users', memory() as object)
await app.register(authentication, JSON.parse(process.argv[2] ?? '{}') as AuthenticationOptions)
await app.listen({ port: 0, host: '127.0.0.1' })
console.log('listening')
await app.close()
