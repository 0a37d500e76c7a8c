import type { AroundHook, CallerContext } from '../../../types/fastify.js'
import { May, mayName } from '../../core/added-fields.js'
import { callStateOf } from '../../core/call-state.js'
import { BadRequest, GeneralError } from '../../core/errors.js'
import { type AddedFields, aroundOnly, forbidAsHook, type HookPosition, withTraits } from '../../core/hooks.js'
import { isPlain } from '../../core/objects.js'
import { inspect } from '../../core/options.js'
import { entryOf } from '../../core/plugin-state.js'
import { resolveToJson } from '../../schema/to-json.js'
import { isStream, mapStream } from '../../shared/streams.js'
import { askRules, createAnswers, createMethodReader, type MethodAnswer } from './asked-methods.js'
import { changeRecords, isRecord } from './records.js'
import { selectAround } from './selection.js'

/** Answers by method: `true`, `false`, or the fields that the caller may send. */
export type MayAnswers = Readonly<Record<string, boolean | readonly string[] | undefined>>

/** A record, and who asks about it. */
export interface MayQuestion {
  /** The whole record, as the service has returned it. */
  readonly record: Readonly<Record<string, unknown>>
  /** The answers of the rules, as if hooks of your own let every call pass. */
  readonly rules: MayAnswers
  /** The params of the call, with the user. */
  readonly params: CallerContext['params']
}

/**
 * Creates an around hook that tells callers what they may do with each record, if the query of
 * `find` or `get` has `$may=true`: the record gets a field `$may`, as in `{ patch: ['title'],
 * remove: false, publish: true }`. The guards and the hooks `allow`, `own`, `scope` and `within` of
 * each method decide. A method is absent if only its call can tell: it has a hook of your own, or
 * another function than these decides.
 *
 * @param answer returns the answers instead, for example those of the rules and others. The server
 * doesn't check them
 * @returns a hook for `around`, of one service or of all; it throws BadRequest for data with the
 * field `$may`
 * @throws when the argument is no function; when the server starts, if it is no around hook, or
 * hooks of your own leave no method with an answer
 * @example
 * app.service('posts').hooks({ around: { all: [allow(roles), own('userId'), may()] } })
 * // GET /posts/1?$may=true → { id: 1, title: 'Hi', $may: { patch: ['title'], remove: false } }
 *
 * const whileDraft = may(({ record, rules }) => ({ ...rules, publish: record.state === 'draft' }))
 */
export function may(answer?: (question: MayQuestion) => MayAnswers): AroundHook {
  if (answer !== undefined && typeof answer !== 'function')
    throw new TypeError(
      `may takes a function that returns answers: may(({ record, rules }) => ({ ...rules, publish: record.isDraft })), got ${inspect(answer)}`
    )
  const methodsOf = createMethodReader()
  const hook: AroundHook = async (context, next) => {
    const { params, data, method, path } = context
    if ([data].flat().some((record) => Object.hasOwn(Object(record), mayName)))
      throw new BadRequest(`'${mayName}' can't be sent: it says what you may do. Leave it out of the data`, {
        errors: { [mayName]: "can't be sent" }
      })
    const asked: unknown = params.query?.[mayName]
    const entry = asked === undefined ? undefined : entryOf(context)
    if (entry === undefined) return next()
    if (method !== 'find' && method !== 'get') throw new BadRequest(`'${mayName}' is for 'find' and 'get'`)
    if (asked !== true && asked !== 'true') throw new BadRequest(`'${mayName}' must be true`)
    callStateOf(context).addsFields = true
    const { [mayName]: _, ...query } = params.query
    context.params = { ...params, query }
    const answers = await askRules(context, methodsOf(entry), answer !== undefined)
    const rulesFor = createAnswers(answers)
    const tell = (input: unknown): unknown => {
      const record = resolveToJson(input)
      if (!isRecord(record)) return record
      const rules = rulesFor(record as Record<string, unknown>)
      if (answer === undefined) return { ...record, [mayName]: rules }
      const told = answer({ record: record as Record<string, unknown>, rules: { ...rules }, params })
      if (!isPlain(told))
        throw new GeneralError(
          `The function of may at '${path}' must return the answers by method, got ${inspect(told)}`
        )
      return { ...record, [mayName]: Object.assign(new May(), told) }
    }
    await selectAround(context, answer === undefined ? testedFields(answers) : undefined, async () => {
      await next()
      const { result } = context
      context.result = isStream(result) ? mapStream(result, tell) : changeRecords(result, tell, method === 'find')
    })
  }
  const checkType = aroundOnly('may')
  const check = (position: HookPosition) => {
    checkType(position)
    const entry = entryOf(position)
    if (answer !== undefined || entry === undefined) return
    const methods = methodsOf(entry)
    if (methods.length > 0 && methods.every(({ hasOwnHooks }) => hasOwnHooks))
      throw new Error(
        `may at '${position.path}' can't tell anything, because each method has hooks of your own, which may refuse calls. If they don't, write may(({ rules }) => rules). Otherwise return what they do`
      )
  }
  return withTraits(hook, { isInnermost: true, parameter: mayName, describeAdded: () => mayDocs, check })
}

forbidAsHook(may, 'may()')

const mayDocs: AddedFields = {
  parameter: { type: 'boolean', const: true, description: 'Whether each record says what its caller may do with it.' },
  fields: {
    [mayName]: {
      type: 'object',
      description: 'The methods that the caller may call for the record, or the fields that it may send.',
      additionalProperties: { anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string' } }] }
    }
  }
}

/** Returns the fields that a list of answers depends on. */
const testedFields = (answers: readonly MethodAnswer[]): readonly string[] => [
  ...new Set(answers.flatMap(({ tests }) => tests.flatMap(({ fields }) => fields)))
]
