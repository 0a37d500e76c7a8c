import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import type { Sessions } from '../sessions.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../strategy.js'

/** Renews a login by its refresh token, which the service then replaces. */
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
    const { claims } = await this.#sessions.find(refreshToken)
    const result = { authentication: { payload: claims } }
    const { entities: users } = this.#authentication
    if (users.name === null) return result
    const user = await users.get(claims.sub, params)
    if (user === undefined) throw new NotAuthenticated('Invalid refresh token')
    return { ...result, [users.name]: user }
  }

  describe(): StrategyDescription {
    return { login: { refreshToken: { type: 'string' } } }
  }
}
