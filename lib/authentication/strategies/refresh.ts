import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import type { Authenticator } from '../authenticator.js'
import type { Sessions } from '../sessions.js'
import type { Strategy, StrategyResult } from '../strategy.js'

/** Goes on with a login by its refresh token, which it replaces. */
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
    const session = await this.#sessions.find(refreshToken)
    const { entities } = this.#authentication
    const entity = entities.name === null ? {} : await entities.get(session.claims.sub, params)
    if (entity === undefined) throw new NotAuthenticated('Invalid refresh token')
    return {
      // Last, so that a failure before it uses no token up.
      refreshToken: await this.#sessions.rotate(session, refreshToken),
      authentication: { payload: session.claims },
      ...(entities.name !== null && { [entities.name]: entity })
    }
  }
}
