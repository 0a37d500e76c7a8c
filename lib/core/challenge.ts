const refusedTokens = new WeakSet<object>()

/** Notes that an error refuses an access token of the request, and returns it. */
export function noteRefusedToken<E extends object>(error: E): E {
  refusedTokens.add(error)
  return error
}

/**
 * Returns the header `WWW-Authenticate` of a 401. A request without a token gets no error code
 * (RFC 6750, section 3.1).
 */
export const challengeOf = (error: unknown): string =>
  refusedTokens.has(Object(error)) ? 'Bearer error="invalid_token"' : 'Bearer'
