import { createClient, rest } from 'fastify-services/client'
import { same } from './same.js'

// Without an `Identity`, the user is what the service of users gives.
declare class Users {
  get(id: number): Promise<{ id: number; since: Date }>
}
const client = createClient<{ users: Users }>().configure(rest('http://localhost').fetch(fetch))
const { user } = await client.authenticate({ strategy: 'local' })
same<typeof user, { id: number; since: string } | undefined>(true)
const login = client.get('authentication')
same<NonNullable<Awaited<typeof login>>['user'], { id: number; since: string } | undefined>(true)
const { user: unknown } = await createClient().authenticate()
same<typeof unknown, unknown>(true)
client.once('login', (result) => same<typeof result.user, typeof user>(true))
createClient().on('login', (result) => same<typeof result.user, unknown>(true))
