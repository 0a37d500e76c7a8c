import type { HookContext, NextFunction } from '../../types/hooks.js'
import { BadRequest } from '../core/errors.js'
import { forbidAsHook, type HookPosition, withTraits } from '../core/hooks.js'
import { checkFieldName } from '../core/options.js'
import { anyAuthenticationOf } from './find.js'
import { isHashed, isShortText, type Passwords, textFault } from './password.js'

// A hash takes a tenth of a second: without a limit, one request could keep the server busy for
// hours.
const maxRecords = 50

/**
 * A before hook that replaces a password by its hash (scrypt, in PHC form). Data without the field
 * is left as it is.
 *
 * @param field the field of the data that holds the password
 * @returns a hook for `before` or `around`; it throws BadRequest when the password is no string of
 * 1 to 1024 characters or, over HTTP, a list has more than 50 passwords, and Unavailable when too
 * many are being hashed
 * @throws when no field is named; when the server starts, if it is no such hook or there is no
 * authentication
 * @example
 * app.service('users').hooks({ before: { create: [hashPassword('password')], update: [hashPassword('password')], patch: [hashPassword('password')] } })
 */
export function hashPassword(field: string): (context: HookContext, next?: NextFunction) => Promise<void> {
  checkFieldName('hashPassword', field, 'password')
  const hook = async (context: HookContext, next?: NextFunction) => {
    if (!(isHashed in context.params))
      await hashIn(
        context,
        field,
        anyAuthenticationOf(context.app).authenticator.passwords,
        (value) => value === undefined
      )
    await next?.()
  }
  const check = ({ app, path, type }: HookPosition) => {
    if (type !== 'before' && type !== 'around')
      throw new Error(`hashPassword at '${path}' is a hook for 'before' or 'around', not for '${type}'`)
    anyAuthenticationOf(app)
  }
  return withTraits(hook, { check })
}

forbidAsHook(hashPassword, "hashPassword('password')")

/**
 * Replaces the passwords in the data of a call by their hashes.
 * @param stays whether the value of the field is none to hash
 * @throws {BadRequest} when a password is no string of 1 to 1024 characters or, over HTTP, a list
 * has more than 50 passwords
 * @throws {Unavailable} when too many are being hashed
 */
export async function hashIn(
  context: HookContext,
  field: string,
  passwords: Passwords,
  stays: (value: unknown) => boolean
): Promise<void> {
  const replace = async (data: unknown) => {
    const { [field]: password, ...rest }: Record<string, unknown> = Object(data)
    if (stays(password)) return data
    if (!isShortText(password)) {
      const message = `'${field}' ${textFault(password)}`
      throw new BadRequest(message, { errors: { [field]: message } })
    }
    return { ...rest, [field]: await passwords.hash(password) }
  }
  const { data } = context
  if (!Array.isArray(data)) {
    context.data = await replace(data)
    return
  }
  const passwordsIn = data.filter((record) => !stays(Object(record)[field]))
  if (context.params.provider && passwordsIn.length > maxRecords)
    throw new BadRequest(`A list of records with a '${field}' has at most ${maxRecords}`)
  const hashed: unknown[] = []
  // Records are hashed one by one, so that a long list takes only one of the places in the queue,
  // which logins need too.
  for (const record of data) hashed.push(await replace(record))
  context.data = hashed
}
