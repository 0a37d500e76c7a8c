import type { FastifyInstance, FastifySchema, preValidationHookHandler } from 'fastify'
import type { JsonSchema } from '../../../types/standard-schema.js'
import { contentByType } from '../../core/content.js'
import { attempt } from '../../core/errors.js'
import { methods } from '../../core/methods.js'
import { toBadRequest } from '../../core/resource/issues.js'
import { readSides } from '../../core/resource/json-schema.js'
import { type RecordRules, rulesOf } from '../../core/resource/method-rules.js'
import { findReadOnly } from '../../schema/body-names.js'
import { type FlagConflict, findFlagConflicts } from '../../schema/flag-conflicts.js'
import { noNames } from '../../schema/flagged-names.js'
import { WrittenSchema } from '../../schema/written-schema.js'
import { responses, type Schema } from './schema.js'

/**
 * Checks at startup that the schemas of a method respect the flags of the record. Flags are names
 * of fields, so a body with a `readOnly` field may be a mistake. The option `settable` allows it.
 *
 * @param label of the method, as in `users.patch`
 * @returns a hook that refuses `readOnly` fields in bodies that `resource()` does not check
 * @throws {TypeError} if a body has a `readOnly` field, or a response a `writeOnly` one
 */
export function guardFlags(
  label: string,
  method: string,
  schema: FastifySchema | undefined,
  record: RecordRules,
  instance: FastifyInstance
): preValidationHookHandler | undefined {
  const rules = rulesOf(schema)
  checkAnswers(label, method, schema, record, instance)
  const takesRecord = methods.get(method)?.arguments.includes('data') === true
  if (rules?.body === undefined && !takesRecord) return undefined
  const ofResource = rules?.body ?? { written: record.incoming, guards: responseOf(record) }
  const isReplaced = rules?.body === undefined || rules.body.document !== schema?.body
  // The schema of the record checks the default body, and bodies with a schema of the method, too.
  const isByRecord = isReplaced && rules?.body?.isOwn !== true
  const guards = isByRecord ? [ofResource.written, ...ofResource.guards] : ofResource.guards
  const all = guards.map((guard) => guard.shapes)
  const body = (isReplaced ? readFastifySchema(schema?.body, instance) : ofResource.written).shapes
  for (const guard of all) checkBody(label, method, findFlagConflicts('readOnly', guard, body), isReplaced)
  if (!isReplaced) return undefined
  return ({ body }, _reply, done) => {
    const records = Array.isArray(body) ? body.entries() : [[undefined, body] as const]
    for (const [index, value] of records) {
      const path = index === undefined ? [] : [index]
      const faults = all.flatMap((guard) => findReadOnly(guard, value, path))
      if (faults.length > 0) throw toBadRequest('body', faults)
    }
    done()
  }
}

const responseOf = ({ hasOwnResponse, outgoing }: RecordRules) => (hasOwnResponse ? [outgoing.written] : [])

function checkBody(label: string, method: string, conflicts: readonly FlagConflict[], isReplaced: boolean): void {
  const [first] = conflicts
  if (first === undefined) return
  const names = [...new Set(conflicts.flatMap(({ field }) => field ?? []))]
  if (names.length === 0)
    throw new TypeError(
      `${label}: the schema of its body has the field '${first.place}', which is readOnly in the schema of the record. ` +
        `Leave it out, or write \`readOnly: true\` there, too`
    )
  const list = `[${names.map((name) => `'${name}'`).join(', ')}]`
  const isCustom = !methods.has(method)
  const settable = isCustom ? `methods: { ${method}: { settable: ${list} } }` : `settable: { ${method}: ${list} }`
  const option = isReplaced ? `Give that schema to resource() as an option, and add` : 'Add'
  throw new TypeError(
    `${label}: the schema of its body has the field '${names.join("', '")}', which is readOnly in the record. ` +
      `Leave it out. Or, if clients may set it: ${option} \`${settable}\` to the options of resource()`
  )
}

/**
 * Checks at startup that responses of a service have no field that is `writeOnly` in the schema of
 * a body, or in the record's schema if `response` is another one.
 *
 * @param path of the service
 * @throws {TypeError} if they have one
 */
export function checkRecordFlags(path: string, record: RecordRules): void {
  const { incoming, outgoing, bodies, hasOwnResponse } = record
  const others = [...(hasOwnResponse ? [incoming] : []), ...bodies]
  checkHidden(`The records of '${path}' have`, outgoing.written, others)
}

function checkAnswers(
  label: string,
  method: string,
  schema: FastifySchema | undefined,
  { incoming, outgoing, bodies }: RecordRules,
  instance: FastifyInstance
): void {
  const rules = rulesOf(schema)
  if (rules !== undefined && rules.outgoing.written !== outgoing.written) {
    const { root } = rules.outgoing.written.shapes
    // A response with hidden fields only is meant to show them.
    const showsMore = (body: WrittenSchema) => {
      const hidden = body.shapes.root
      return root.names.some((name) => !hidden.field(name).writeOnly)
    }
    checkHidden(`${label}: its answer has`, rules.outgoing.written, bodies.filter(showsMore))
  }
  const isPlainMethod = rules === undefined && !methods.has(method)
  if (isPlainMethod || schema?.response === undefined || schema.response === rules?.response) return
  for (const [status, answer] of responses(schema))
    if (!/^[45]/.test(status))
      for (const content of contentsOf(answer)) {
        const plain = readFastifySchema(content, instance)
        const written =
          rules === undefined ? plain : rules.outgoing.written.withDocument(plain.document, instance.getSchemas())
        const others = [incoming, outgoing.written, ...bodies]
        checkHidden(`${label}: its answer has`, written, others)
      }
}

function checkHidden(subject: string, written: WrittenSchema, others: readonly WrittenSchema[]): void {
  const shapes = written.shapes
  for (const other of others) {
    const [conflict] = findFlagConflicts('writeOnly', other.shapes, shapes)
    if (conflict !== undefined)
      throw new TypeError(
        `${subject} the field '${conflict.place}', which is writeOnly in another schema of the resource. ` +
          `Leave it out, or write \`writeOnly: true\` there, too. The option \`writeOnly\` of resource() flags it everywhere`
      )
  }
}

/** Returns the schemas of a response, one for each content type. */
const contentsOf = (answer: Schema): readonly unknown[] => {
  const content = contentByType(answer)
  return content === undefined ? [answer] : Object.values(content).map((media) => Object(media).schema)
}

/** Reads a schema that the application has for Fastify. One without JSON Schema allows anything. */
function readFastifySchema(schema: unknown, instance: FastifyInstance): WrittenSchema {
  const shared = instance.getSchemas()
  const create = (document: JsonSchema) => new WrittenSchema(document, { flagged: noNames }, shared)
  const written = attempt(() => create(readSides(schema).input.document))
  return attempt(() => written?.shapes.reader.bundle.missing.length) === 0 ? (written as WrittenSchema) : create({})
}
