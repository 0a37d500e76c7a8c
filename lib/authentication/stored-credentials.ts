import type { AroundHook, HookContext, RegisteredService } from '../../types/hooks.js'
import type { Query } from '../../types/service.js'
import { callStateOf } from '../core/call-state.js'
import { BadRequest } from '../core/errors.js'
import { withTraits } from '../core/hooks.js'
import { isPlain } from '../core/objects.js'
import { metaOf } from '../core/service-meta.js'
import { hashIn } from './hash-password.js'
import { isHashed, isShortText, type Passwords, replacedHash, textFault } from './password.js'
import { inOneSpelling } from './whole-rows.js'

/** What a strategy says of the users that it lets in. */
export interface StoredCredentials {
  /** The field of a user that holds the hash of the password. */
  readonly passwordField: string
  /** Whether passwords are hashed before they are stored. */
  readonly hashes: boolean
  /** The field of a user that holds the name. */
  readonly usernameField: string
  /** The one spelling that a name is stored in. */
  readonly normalize: (name: string) => string
}

/**
 * Whether a value is a hash in the form of PHC or of crypt(3): `$scrypt$…`, `$argon2id$…`, `$2b$…`.
 */
export const looksHashed = (text: unknown): boolean =>
  typeof text === 'string' && /^\s*\$[a-z\d-]{1,32}\$\S{15,}\s*$/i.test(text)

/**
 * Makes the service of users hash each password just before its method stores it, after all other
 * hooks, and store each user name in one spelling. What a hook has hashed already stays, and so
 * does a hash that the server itself stores. A hash that a client sends is a password like any
 * other.
 */
export function prepareUsers(service: RegisteredService, credentials: StoredCredentials, passwords: Passwords): void {
  const { passwordField, hashes, usernameField, normalize } = credentials
  const facts = metaOf(service)
  facts.preparedFor ??= new Set()
  const done = facts.preparedFor
  const isNew = (text: string) => !done.has(text) && done.add(text)
  if (isNew(`${passwordField} and ${usernameField}`)) {
    const note = withTraits(noteSent, { isOutermost: true })
    const check = withTraits(checkBeforeMethod(credentials), { isInnermost: true })
    for (const method of storingMethods) service.hooks({ around: { [method]: [note, check] } })
  }
  if (hashes && isNew(`password ${passwordField}`)) {
    const hash = withTraits(hashBeforeMethod(passwordField, passwords), { isInnermost: true })
    for (const method of storingMethods) service.hooks({ around: { [method]: [hash] } })
  }
  if (normalize !== asSent && isNew(`name ${usernameField}`)) {
    const spell = withTraits(spellNames(usernameField, normalize), { isInnermost: true })
    for (const method of [...storingMethods, 'find']) service.hooks({ around: { [method]: [spell] } })
  }
}

const storingMethods = ['create', 'update', 'patch'] as const

/** The spelling of names that are stored as they were sent. */
export const asSent = (name: string): string => name

/**
 * A name without what people do not see: spaces around it, the case of its letters, two ways to
 * write an accent.
 */
export const lowercase = (name: string): string => name.trim().toLowerCase().normalize('NFC')

/** CallState what a client sends, and which hash is replaced, before any hook changes it. */
const noteSent: AroundHook = async (context, next) => {
  const { [replacedHash]: condition } = context.params as { [replacedHash]?: () => Query }
  callStateOf(context).replacedHash = condition
  if (context.params.provider !== undefined) {
    const texts = new Set(textsIn(context.data))
    callStateOf(context).hasSent = (text) => texts.has(text)
  }
  await next()
}

/**
 * Refuses what a database could take for the fields, and names that are no text: what the hooks of
 * the application let pass. Adds the condition on a hash.
 */
const checkBeforeMethod =
  ({ passwordField, usernameField }: StoredCredentials): AroundHook =>
  async (context, next) => {
    const { params, data } = context
    for (const record of [data].flat()) {
      for (const field of [passwordField, usernameField])
        if (namesOtherwise(record, field)) throw new BadRequest(`'${field}' can only be sent under this name`)
      const name: unknown = Object(record)[usernameField]
      const isOdd = name !== undefined && name !== null && typeof name !== 'string'
      if (params.provider !== undefined && isOdd) throw noText(usernameField, name)
    }
    const condition = callStateOf(context).replacedHash?.()
    if (condition === undefined) return next()
    context.params = { ...params, query: { ...params.query, ...condition } }
    try {
      await next()
    } finally {
      context.params = params
    }
  }

/**
 * All texts in the data of a client, at any depth: a hook may put one of them into another field.
 */
function* textsIn(data: unknown): Generator<string> {
  const rest: unknown[] = [data]
  const visited = new Set<unknown>()
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') yield value.trim()
    else if (typeof value === 'object' && value !== null && !visited.has(value) && !ArrayBuffer.isView(value)) {
      visited.add(value)
      for (const inner of Object.values(value)) rest.push(inner)
    }
  }
}

function noText(field: string, value: unknown): BadRequest {
  const message = `'${field}' ${textFault(value)}`
  return new BadRequest(message, { errors: { [field]: message } })
}

/**
 * Whether a key is the field to some database or mapper: in another spelling, in quotes, with a
 * table before it or a place within it.
 */
function isSpelling(key: string, name: string): boolean {
  return inOneSpelling(key)
    .split('.')
    .some((segment) => {
      const start = segment.indexOf(name)
      return start >= 0 && isAround(segment.slice(0, start)) && isAround(segment.slice(start + name.length))
    })
}

/**
 * Whether a text has nothing but what may stand around a name. The expression is tried at one
 * place, so its time grows with the text.
 */
const isAround = (text: string) => /^[\s"'`[\]]*$/.test(text)

/**
 * Whether data names a field by another spelling, or within an operator such as `$set` or
 * `$rename`: a database may take it for the field.
 */
export function namesOtherwise(data: unknown, field: string): boolean {
  // A list of what is still to be looked at, since operators may stand in each other deeper than
  // calls may.
  const rest = [data]
  const plainName = inOneSpelling(field)
  for (let record = rest.pop(); record !== undefined; record = rest.pop())
    for (const [key, value] of Object.entries(Object(record))) {
      if (key !== field && isSpelling(key, plainName)) return true
      if (!key.startsWith('$')) continue
      for (const operand of [value].flat().filter(isPlain)) {
        if (Object.hasOwn(operand, field)) return true
        if (
          key.toLowerCase() === '$rename' &&
          Object.values(operand).some((name) => typeof name === 'string' && isSpelling(name, plainName))
        )
          return true
        rest.push(operand)
      }
    }
  return false
}

/**
 * Hashes passwords. A hash stays where a hook has made it of what a client sent, and where the
 * server itself stores it.
 */
const hashBeforeMethod =
  (field: string, passwords: Passwords): AroundHook =>
  async (context, next) => {
    if (!(isHashed in context.params)) {
      const { hasSent } = callStateOf(context)
      const stays = (value: unknown) =>
        value === undefined ||
        value === null ||
        (looksHashed(value) && !hasSent?.(String(value).trim())) ||
        // An empty text is no password: the server may store it.
        (hasSent === undefined && value === '')
      await hashIn(context, field, passwords, stays)
    }
    await next()
  }

const spellNames =
  (field: string, normalize: (name: string) => string): AroundHook =>
  async (context, next) => {
    if (context.method === 'find') {
      const { query } = context.params
      const name: unknown = query?.[field]
      if (isShortText(name)) context.params = { ...context.params, query: { ...query, [field]: normalize(name) } }
    } else {
      const spell = (record: unknown) => spelled(record, field, normalize)
      context.data = Array.isArray(context.data) ? context.data.map(spell) : spell(context.data)
    }
    await next()
  }

function spelled(record: unknown, field: string, normalize: (name: string) => string): unknown {
  const { [field]: name }: Record<string, unknown> = Object(record)
  if (typeof name !== 'string') return record
  const text = isShortText(name) ? normalize(name) : ''
  if (!isShortText(text)) throw noText(field, name)
  return { ...(record as HookContext['data']), [field]: text }
}
