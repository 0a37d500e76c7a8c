import { methods } from '../../core/methods.js'
import type { MethodRules, RecordRules } from '../../core/resource/method-rules.js'
import { type FlagConflict, findFlagConflicts } from '../../schema/flag-conflicts.js'
import type { WrittenSchema } from '../../schema/written-schema.js'

/**
 * Checks at startup that the schemas of a method respect the flags of the record. Flags are names
 * of fields, so a body with a `readOnly` field may be a mistake. The option `settable` allows it.
 *
 * @param label of the method, as in `users.patch`
 * @throws {TypeError} if a body has a `readOnly` field, or a response a `writeOnly` one
 */
export function checkMethodFlags(label: string, { method, body, outgoing, record }: MethodRules): void {
  if (outgoing.written !== record.outgoing.written) {
    const { root } = outgoing.written.shapes
    // A response with hidden fields only is meant to show them.
    const showsMore = (body: WrittenSchema) => {
      const hidden = body.shapes.root
      return root.names.some((name) => !hidden.field(name).writeOnly)
    }
    checkHidden(`${label}: its answer has`, outgoing.written, record.bodies.filter(showsMore))
  }
  if (body === undefined) return
  for (const guard of body.guards)
    checkBody(label, method, findFlagConflicts('readOnly', guard.shapes, body.written.shapes))
}

function checkBody(label: string, method: string, conflicts: readonly FlagConflict[]): void {
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
  throw new TypeError(
    `${label}: the schema of its body has the field '${names.join("', '")}', which is readOnly in the record. ` +
      `Leave it out. Or, if clients may set it: Add \`${settable}\` to the options of resource()`
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
