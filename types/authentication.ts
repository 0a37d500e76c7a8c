import type { User } from './identity.js'

/** A login request of a client (docs/client.md#login): a strategy and its credentials. */
export interface AuthenticationRequest {
  strategy?: string
  [key: string]: unknown
}

/** The claims of an access token. */
export interface TokenPayload {
  /** The id of the user, always a string. */
  sub: string
  iss: string
  aud: string | string[]
  /** When the token expires, in seconds since 1970. */
  exp: number
  /** When the token was issued, in seconds since 1970. */
  iat: number
  /** The id of the token, a UUID. Every token that is signed here has one. */
  jti?: string
  /** The id of the login if refresh tokens are on, the same in all of its tokens. */
  sid?: string
  /**
   * When the user logged in, in seconds since 1970, if refresh tokens are on. It is the same in all
   * tokens of the login.
   */
  auth_time?: number
  [claim: string]: unknown
}

/**
 * The result of a login, a logout and `authenticate`. The user has the name of the entity, `user`
 * by default.
 */
export interface AuthenticationResult<U = User> {
  accessToken?: string
  /** Exists if refresh tokens are on. It is exchanged for the next one. */
  refreshToken?: string
  authentication: { strategy: string; accessToken?: string; payload?: TokenPayload; [key: string]: unknown }
  user?: U
  [key: string]: unknown
}
