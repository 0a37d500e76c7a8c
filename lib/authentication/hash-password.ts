import type { HookContext, NextFunction } from '../../types/hooks.js'
import { BadRequest } from '../core/errors.js'
import { authenticationOf } from './find.js'
import { isText, maxLength } from './password.js'

/** Marks the params of a call whose password is a hash already. */
export const isHashed = Symbol('isHashed')

/**
 * A before hook that replaces a password by its hash (scrypt, in PHC form). Data without the field stays as it is.
 *
 * @param field the field of the data that holds the password
 * @returns a hook for `before` or `around`; it throws BadRequest when the password is no string of 1 to 1024 characters, Unavailable
 * when too many are being hashed
 * @throws when no field is named
 * @example
 * app.service('users').hooks({ before: { create: [hashPassword('password')], update: [hashPassword('password')], patch: [hashPassword('password')] } })
 */
export function hashPassword(field: string): (context: HookContext, next?: NextFunction) => Promise<void> {
  if (typeof field !== 'string' || field === '')
    throw new Error("hashPassword needs the name of a field: hashPassword('password')")
  return async (context, next) => {
    if (context.type === 'after' || context.type === 'error')
      throw new Error(`hashPassword is a before or an around hook, not one of '${context.type}'`)
    if (!(isHashed in context.params)) {
      const { passwords } = authenticationOf(context.app)
      const replace = async (data: unknown) => {
        const { [field]: password, ...rest } = data as Record<string, unknown>
        if (password === undefined) return data
        if (!isText(password)) {
          const message = `'${field}' is a string of 1 to ${maxLength} characters`
          throw new BadRequest(message, { errors: { [field]: message } })
        }
        return { ...rest, [field]: await passwords.hash(password) }
      }
      const { data } = context
      if (!Array.isArray(data)) context.data = await replace(data)
      else {
        const hashed: unknown[] = []
        // One by one: a long list must not take the places of those who log in.
        for (const one of data) hashed.push(await replace(one))
        context.data = hashed
      }
    }
    await next?.()
  }
}
