/** Under this name an instance, and those below it, find the authentication service that stands for them. */
export const authentication: unique symbol = Symbol('authentication')

/** Reads the credentials of a request before a service is called, so that hooks find them in `params.authentication`. */
export interface CredentialsReader {
  readCredentials(request: unknown): Promise<void>
}

/** An instance of the application, as far as credentials go. */
export interface WithAuthentication {
  [authentication]?: CredentialsReader
}
