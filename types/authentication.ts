import type { User } from './identity.js'

/**
 * What a client sends to log in (docs/client.md#login): the name of a strategy, and what that
 * strategy asks for.
 */
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
  /** The id of the token, a UUID: every token that is signed here has one. */
  jti?: string
  /** The id of the login, where refresh tokens are on: the same in all its tokens. */
  sid?: string
  /**
   * When the user logged in, in seconds since 1970, where refresh tokens are on: the same in all
   * tokens of the login.
   */
  auth_time?: number
  [claim: string]: unknown
}

/**
 * What a login, a logout and `authenticate` give: the entity stands under its name, `user` by
 * default.
 */
export interface AuthenticationResult<U = User> {
  accessToken?: string
  /** Where refresh tokens are on. It is exchanged for the next one. */
  refreshToken?: string
  authentication: { strategy: string; accessToken?: string; payload?: TokenPayload; [key: string]: unknown }
  user?: U
  [key: string]: unknown
}
