import type { AroundHook, HookContext, NextFunction, RegisteredService } from '../../types/hooks.js'
import type { Params, Query } from '../../types/service.js'
import { conditionalWrite, takesConditions } from '../core/adapters/write-condition.js'
import { callStateOf } from '../core/call-state.js'
import { BadRequest, NotFound } from '../core/errors.js'
import { forbidAsHook, type HookPosition, withTraits } from '../core/hooks.js'
import { isPlain } from '../core/objects.js'
import { checkFieldName } from '../core/options.js'
import { implementationOf, metaOf } from '../core/service-meta.js'
import { anyAuthenticationOf } from './lookup.js'
import { isShortText, type Passwords, textFault } from './password.js'
import { toSpelling } from './protect.js'

/**
 * Marks the params of a call that changes a user if a field has a value. A password in its data is
 * a hash. The mark is a function that returns the condition, because nothing that prints params may
 * print the hash of a password.
 */
export const onlyIf: unique symbol = Symbol('only if')

/** Params that may be marked by `onlyIf`. */
interface ConditionalParams extends Params {
  [onlyIf]?: () => Query
}

// A hash takes a tenth of a second. Without a limit, one request could keep the server busy for
// hours.
const maxRecords = 50

/**
 * Creates a before hook that replaces a password by its hash (scrypt).
 *
 * @param field the field of the data with the password
 * @returns a hook for `before` or `around`. It throws BadRequest if the password is no string of 1
 * to 1024 characters or, over HTTP, a list has more than 50 passwords, and Unavailable if too many
 * are being hashed
 * @throws if no field is named; when the server starts, if it is no such hook or there is no
 * authentication
 * @example
 * const hash = hashPassword('password')
 * app.service('users').hooks({ before: { create: [hash], update: [hash], patch: [hash] } })
 */
export function hashPassword(field: string): (context: HookContext, next?: NextFunction) => Promise<void> {
  checkFieldName('hashPassword', field, 'password')
  const hook = async (context: HookContext, next?: NextFunction) => {
    if (!(onlyIf in context.params)) {
      const { passwords } = anyAuthenticationOf(context.app).authenticator
      await hashField(context, field, passwords, (value) => value === undefined)
    }
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
 * @param isKept whether a value of the field is stored as it is
 * @throws {BadRequest} when a password is no string of 1 to 1024 characters or, over HTTP, a list
 * has more than 50 passwords
 * @throws {Unavailable} when too many are being hashed
 */
async function hashField(
  context: HookContext,
  field: string,
  passwords: Passwords,
  isKept: (value: unknown) => boolean
): Promise<void> {
  const replace = async (data: unknown) => {
    const { [field]: password, ...rest }: Record<string, unknown> = Object(data)
    if (isKept(password)) return data
    if (!isShortText(password)) throw invalidText(field, password)
    return { ...rest, [field]: await passwords.hash(password) }
  }
  const { data } = context
  if (!Array.isArray(data)) {
    context.data = await replace(data)
    return
  }
  const withPassword = data.filter((record) => !isKept(Object(record)[field]))
  if (context.params.provider && withPassword.length > maxRecords)
    throw new BadRequest(`A list of records with a '${field}' has at most ${maxRecords}`)
  const hashed: unknown[] = []
  // Records are hashed one by one, so that a long list takes only one of the places in the queue,
  // which logins need too.
  for (const record of data) hashed.push(await replace(record))
  context.data = hashed
}

function invalidText(field: string, value: unknown): BadRequest {
  const message = `'${field}' ${textFault(value)}`
  return new BadRequest(message, { errors: { [field]: message } })
}

/** How a strategy expects users to be stored. */
export interface StoredCredentials {
  readonly passwordField: string
  /** Whether passwords are hashed before they are stored. */
  readonly hashes: boolean
  readonly usernameField: string
  /** Returns the spelling in which a name is stored. */
  readonly normalize: (name: string) => string
}

export const asSent = (name: string): string => name

/**
 * Removes differences that people do not see from a name: spaces around it, the case of its
 * letters, two ways to write an accent.
 */
export const lowercase = (name: string): string => name.trim().toLowerCase().normalize('NFC')

/**
 * Whether a value is a hash in the form of PHC or of crypt(3): `$scrypt$…`, `$argon2id$…`, `$2b$…`.
 */
export const looksHashed = (text: unknown): boolean =>
  typeof text === 'string' && /^\s*\$[a-z\d-]{1,32}\$\S{15,}\s*$/i.test(text)

const hashStep = (field: string) => `password ${field}`

/**
 * Whether a service hashes the passwords of a field by itself, since `prepareUsers` added the hook.
 */
export const hashesByItself = (service: object, field: string): boolean =>
  metaOf(service).preparedFor?.has(hashStep(field)) === true

const storingMethods = ['create', 'update', 'patch'] as const

/**
 * Adds hooks to the service of users. They hash each password just before its method stores it,
 * after all other hooks, and store each user name in one spelling. A hash that a hook of the
 * application or the server itself stores is kept. A hash that a client sends is a password like
 * any other.
 */
export function prepareUsers(service: RegisteredService, credentials: StoredCredentials, passwords: Passwords): void {
  const { passwordField, hashes, usernameField, normalize } = credentials
  const meta = metaOf(service)
  meta.preparedFor ??= new Set()
  const prepared = meta.preparedFor
  const isNew = (text: string) => !prepared.has(text) && prepared.add(text)
  if (isNew(`${passwordField} and ${usernameField}`)) {
    const note = withTraits(noteSent, { isOutermost: true })
    const check = withTraits(checkBeforeMethod(credentials), { isInnermost: true })
    for (const method of storingMethods) service.hooks({ around: { [method]: [note, check] } })
  }
  if (hashes && isNew(hashStep(passwordField))) {
    const hash = withTraits(hashBeforeMethod(passwordField, passwords), { isInnermost: true })
    for (const method of storingMethods) service.hooks({ around: { [method]: [hash] } })
  }
  if (normalize !== asSent && isNew(`name ${usernameField}`)) {
    const spell = withTraits(normalizeNames(usernameField, normalize), { isInnermost: true })
    for (const method of [...storingMethods, 'find']) service.hooks({ around: { [method]: [spell] } })
  }
}

/** Notes the data of a client, and the condition of a write, before any hook changes them. */
const noteSent: AroundHook = async (context, next) => {
  const { [onlyIf]: condition }: ConditionalParams = context.params
  callStateOf(context).writeCondition = condition
  if (context.params.provider !== undefined) {
    const texts = new Set(textsIn(context.data))
    callStateOf(context).hasSent = (text) => texts.has(text)
  }
  await next()
}

/**
 * Refuses keys that a database could take for the fields, and names that are not text, if the hooks
 * of the application let them pass. Adds the condition of a write to the query.
 */
const checkBeforeMethod =
  ({ passwordField, usernameField }: StoredCredentials): AroundHook =>
  async (context, next) => {
    const { params, data } = context
    for (const record of [data].flat()) {
      for (const field of [passwordField, usernameField])
        if (hasAlias(record, field)) throw new BadRequest(`'${field}' can only be sent under this name`)
      const name: unknown = Object(record)[usernameField]
      const isOdd = name !== undefined && name !== null && typeof name !== 'string'
      if (params.provider !== undefined && isOdd) throw invalidText(usernameField, name)
    }
    const condition = callStateOf(context).writeCondition?.()
    return condition === undefined ? next() : runIfUnchanged(context, condition, next)
  }

/** Runs a write if its user meets a condition of one field. @throws {NotFound} otherwise */
async function runIfUnchanged(context: HookContext, condition: Query, next: NextFunction): Promise<void> {
  const { params, service, id } = context
  const [[column, value] = ['']] = Object.entries(condition)
  const object = implementationOf(service)
  context.params = { ...params, query: { ...params.query, ...condition } }
  try {
    if (!takesConditions(object)) return await next()
    const outcome = await conditionalWrite(context, object, { column, value }, next)
    if (outcome === 'has changed nothing') throw new NotFound(`No record found for id '${id}'`)
  } finally {
    context.params = params
  }
}

/** Yields all texts in data, at any depth: a hook may put one of them into another field. */
function* textsIn(data: unknown): Generator<string> {
  const pending: unknown[] = [data]
  const visited = new Set<unknown>()
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') yield value.trim()
    else if (typeof value === 'object' && value !== null && !visited.has(value) && !ArrayBuffer.isView(value)) {
      visited.add(value)
      for (const inner of Object.values(value)) pending.push(inner)
    }
  }
}

/**
 * Whether a database or mapper may read a key as the field: in another spelling, in quotes, with a
 * table before it or a path into it.
 */
function isSpelling(key: string, spelling: string): boolean {
  return toSpelling(key)
    .split('.')
    .some((segment) => {
      const start = segment.indexOf(spelling)
      return start >= 0 && isQuoting(segment.slice(0, start)) && isQuoting(segment.slice(start + spelling.length))
    })
}

/** Whether a text consists of quotes, brackets and spaces. It runs in linear time. */
const isQuoting = (text: string) => /^[\s"'`[\]]*$/.test(text)

/**
 * Whether data has a field under another spelling, or within an operator such as `$set` or
 * `$rename`, so that a database may write the field.
 */
export function hasAlias(data: unknown, field: string): boolean {
  // A stack instead of recursion: operators may be nested deeper than calls may.
  const pending = [data]
  const spelling = toSpelling(field)
  for (let record = pending.pop(); record !== undefined; record = pending.pop())
    for (const [key, value] of Object.entries(Object(record))) {
      if (key !== field && isSpelling(key, spelling)) return true
      if (!key.startsWith('$')) continue
      for (const operand of [value].flat().filter(isPlain)) {
        if (Object.hasOwn(operand, field)) return true
        const isRename = key.toLowerCase() === '$rename'
        if (isRename && Object.values(operand).some((name) => typeof name === 'string' && isSpelling(name, spelling)))
          return true
        pending.push(operand)
      }
    }
  return false
}

/**
 * Hashes passwords. A hash is kept if a hook has made it from what a client sent, or if the server
 * itself stores it.
 */
const hashBeforeMethod =
  (field: string, passwords: Passwords): AroundHook =>
  async (context, next) => {
    if (!(onlyIf in context.params)) {
      const { hasSent } = callStateOf(context)
      const isKept = (value: unknown) =>
        value === undefined ||
        value === null ||
        (looksHashed(value) && !hasSent?.(String(value).trim())) ||
        // An empty text is no password: the server may store it.
        (hasSent === undefined && value === '')
      await hashField(context, field, passwords, isKept)
    }
    await next()
  }

const normalizeNames =
  (field: string, normalize: (name: string) => string): AroundHook =>
  async (context, next) => {
    if (context.method === 'find') {
      const { query } = context.params
      const name: unknown = query?.[field]
      if (isShortText(name)) context.params = { ...context.params, query: { ...query, [field]: normalize(name) } }
    } else {
      const change = (record: unknown) => normalizeName(record, field, normalize)
      context.data = Array.isArray(context.data) ? context.data.map(change) : change(context.data)
    }
    await next()
  }

function normalizeName(record: unknown, field: string, normalize: (name: string) => string): unknown {
  const { [field]: name }: Record<string, unknown> = Object(record)
  if (typeof name !== 'string') return record
  const text = isShortText(name) ? normalize(name) : ''
  if (!isShortText(text)) throw invalidText(field, name)
  return { ...(record as HookContext['data']), [field]: text }
}
