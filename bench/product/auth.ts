import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError } from 'better-auth/api'
import { admin, bearer } from 'better-auth/plugins'
import { database } from './database.ts'

export const auth = betterAuth({
  baseURL: `http://localhost:${process.env.PORT}`,
  secret: process.env.AUTH_SECRET,
  database: drizzleAdapter(database, { provider: 'pg' }),
  emailAndPassword: { enabled: true, disableSignUp: true },
  user: {
    additionalFields: {
      organisationId: { type: 'number', required: true, input: false },
      role: { type: 'string', required: true, input: false }
    }
  },
  plugins: [bearer(), admin({ defaultRole: 'member' })]
})

export interface Account {
  email: string
  password: string
  role: 'owner' | 'member'
}

/** @returns the user, or nothing where there is one with this address */
export async function createUser({ email, password, role }: Account, organisationId: number) {
  const body = { email, password, name: email, data: { organisationId, role } }
  try {
    const { user } = await auth.api.createUser({ body })
    return { id: user.id, organisationId, email: user.email, role }
  } catch (error) {
    if (error instanceof APIError && String(error.body?.code).startsWith('USER_ALREADY_EXISTS')) return
    throw error
  }
}
