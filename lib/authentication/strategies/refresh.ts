import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import type { Authenticator } from '../authenticator.js'
import { type Sessions, withSession } from '../sessions.js'
import type { Strategy, StrategyResult } from '../strategy.js'

/** Goes on with a login by its refresh token, which the service then replaces. */
export class RefreshStrategy implements Strategy {
  readonly #sessions: Sessions
  #authentication!: Authenticator

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  setup(authentication: Authenticator): void {
    this.#authentication = authentication
  }

  async authenticate({ refreshToken }: AuthenticationRequest, params: Params): Promise<StrategyResult> {
    const found = await this.#sessions.find(refreshToken)
    const { claims } = found.session
    const result = { authentication: { payload: claims }, ...withSession(found) }
    const { entities } = this.#authentication
    if (entities.name === null) return result
    const entity = await entities.get(claims.sub, params)
    if (entity === undefined) throw new NotAuthenticated('Invalid refresh token')
    return { ...result, [entities.name]: entity }
  }
}
