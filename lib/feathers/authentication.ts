import type { FastifyInstance } from 'fastify'
import { authenticationFor, guardAdvice } from '../core/authentications.js'
import { attempt } from '../core/errors.js'
import { type Authentication, instanceFacts } from '../core/host.js'

/** What helpers of Feathers ask of an authentication service. */
interface FeathersAuthentication {
  getStrategies(...names: string[]): { hashPassword(password: string, params?: object): Promise<string> }[]
  getStrategy(name: string): { hashPassword(password: string, params?: object): Promise<string> }
  authenticate(): never
}

/**
 * The authentication service that is responsible for an instance, or the one at a path, for the
 * helpers of Feathers that hash passwords. `undefined` where there is none.
 */
export function authenticationIn(host: FastifyInstance, path: string | undefined): FeathersAuthentication | undefined {
  const all = instanceFacts(host).authentications ?? []
  const service = path === undefined ? undefined : attempt((): unknown => host.service(path))
  const match =
    path === undefined
      ? (authenticationFor(host) ?? all[0])
      : all.find((authentication) => authentication.service === service)
  return match && forFeathers(match)
}

function forFeathers({ strategyNames, hashPassword }: Authentication): FeathersAuthentication {
  const strategy = { hashPassword: (password: string, params = {}) => hashPassword(password, params) }
  return {
    getStrategies: (...names) => names.filter((name) => strategyNames.includes(name)).map(() => strategy),
    getStrategy(name) {
      if (strategyNames.includes(name)) return strategy
      throw new Error(`There is no strategy '${name}' to hash passwords. There are: ${strategyNames.join(', ')}`)
    },
    authenticate() {
      throw new Error(`This guard is that of @feathersjs/authentication. ${guardAdvice}`)
    }
  }
}
