import type { HookContext } from '../../../types/fastify.js'
import { May } from '../../core/added-fields.js'
import { type Describable, hooksAround, rulesAround } from '../../core/description.js'
import { toServiceError } from '../../core/errors.js'
import { isOwnHook, traitsOf } from '../../core/hooks.js'
import { clientOf } from '../../core/http-call.js'
import { PossibleCall, type RecordTest, SharedAnswers } from '../../core/possible-call.js'
import { maySendOf } from '../../core/resource/body-rules.js'
import { rulesOf } from '../../core/resource/method-rules.js'

/** A method that `may` answers for, with the hooks of this package around it, outermost first. */
interface AskedMethod {
  readonly name: string
  readonly rules: readonly object[]
  /** Whether hooks of the application run around it, or around the `get` that a rule calls before it. */
  readonly hasOwnHooks: boolean
  /** Whether the body may have a field. `undefined`: the method has no list of fields. */
  readonly maySend: ((field: string) => boolean) | undefined
}

/** The answer of the rules about a method, before any record is known. */
export interface MethodAnswer {
  readonly name: string
  /** `undefined` if only the call can tell. */
  readonly answer: boolean | readonly string[] | undefined
  /** A record for which one of them fails gets `false`. */
  readonly tests: readonly RecordTest[]
}

/**
 * Creates the function that returns the exposed methods of a service that take the id of a record,
 * without `get`. Those that no document shows are left out.
 */
export function createMethodReader(): (entry: Describable) => readonly AskedMethod[] {
  const known = new Map<Describable, { readonly hookCount: number; readonly asked: readonly AskedMethod[] }>()
  return (entry) => {
    const hookCount = entry.common.added.length + entry.hooks.added.length
    let methods = known.get(entry)
    if (methods?.hookCount !== hookCount) {
      methods = { hookCount, asked: readMethods(entry) }
      known.set(entry, methods)
    }
    return methods.asked
  }
}

const readMethods = (entry: Describable): readonly AskedMethod[] =>
  entry.exposed
    .filter((name) => {
      const takesId = entry.methods.get(name)?.definition.id
      return name !== 'get' && takesId && Object(entry.options.schema?.[name]).hide !== true
    })
    .map((name) => {
      const body = rulesOf(entry.options.schema?.[name])?.body
      const rules = rulesAround(entry, name)
      const isByGet = rules.some((rule) => traitsOf(rule).readsRecord?.(entry.object, name))
      const hooks = [...hooksAround(entry, name), ...(isByGet ? hooksAround(entry, 'get') : [])]
      return {
        name,
        rules,
        hasOwnHooks: hooks.some(isOwnHook),
        maySend: body && maySendOf(body)
      }
    })

/**
 * Asks the rules of methods about the caller of a call.
 * @param ignoresOwnHooks whether methods with hooks of the application get an answer, too
 */
export async function askRules(
  call: HookContext,
  methods: readonly AskedMethod[],
  ignoresOwnHooks: boolean
): Promise<readonly MethodAnswer[]> {
  // A hook of `find` may make the call one of the server itself. Other methods don't have that hook.
  const isOfClient = !ignoresOwnHooks && clientOf(call) !== undefined
  const params = { ...call.params, ...(isOfClient && { provider: 'rest' }) }
  const shared = new SharedAnswers()
  const answers: MethodAnswer[] = []
  for (const method of methods)
    if (ignoresOwnHooks || !method.hasOwnHooks)
      answers.push(await askMethod(method, new PossibleCall(call, method.name, params, shared)))
  return answers
}

async function askMethod({ name, rules, maySend }: AskedMethod, call: PossibleCall): Promise<MethodAnswer> {
  const tests: RecordTest[] = []
  let isKnown = true
  let fields: readonly string[] | undefined
  for (const rule of rules) {
    const judgement = await traitsOf(rule).judge?.(call).catch(toJudgement)
    if (judgement === false) return { name, answer: false, tests: [] }
    if (judgement === undefined) isKnown = false
    else if (judgement !== true && 'passes' in judgement) tests.push(judgement)
    else if (judgement !== true && methodsWithFields.has(name)) {
      const list: readonly string[] = judgement
      fields = fields?.filter((field) => list.includes(field)) ?? list
    }
  }
  const sendable = fields?.filter((field) => maySend?.(field) !== false)
  return { name, answer: isKnown ? (sendable ?? true) : undefined, tests }
}

/** The methods for which `allow` lists the fields that a role may send. */
const methodsWithFields = new Set(['update', 'patch'])

/** A rule that fails for another reason says nothing. */
const toJudgement = (error: unknown) => ([401, 403, 404].includes(toServiceError(error).code) ? false : undefined)

/**
 * Creates the function that returns the answers for a record. A method that only its call can tell
 * is absent. Records with the same outcomes of all tests share one object.
 */
export function createAnswers(
  answers: readonly MethodAnswer[]
): (record: Readonly<Record<string, unknown>>) => Readonly<May> {
  const tests = [...new Set(answers.flatMap(({ tests }) => tests))]
  const known = new Map<string, Readonly<May>>()
  return (record) => {
    const outcomes = tests.map((test) => test.passes(record))
    const key = outcomes.join()
    const told = known.get(key) ?? Object.freeze(combine(answers, (test) => outcomes[tests.indexOf(test)]))
    known.set(key, told)
    return told
  }
}

function combine(answers: readonly MethodAnswer[], outcomeOf: (test: RecordTest) => boolean | undefined): May {
  const told = new May()
  for (const { name, answer, tests } of answers) {
    const outcomes = tests.map(outcomeOf)
    if (outcomes.includes(false)) told[name] = false
    else if (answer !== undefined && !outcomes.includes(undefined)) told[name] = answer
  }
  return told
}
