import type { JsonSchema } from '../../types/standard-schema.js'
import type { Flag } from './reader.js'
import type { Shape, ShapeMember, Shapes } from './shape.js'

type Names = ReadonlySet<string>

/** The flagged fields of the objects that a schema describes. */
interface SchemaFlags extends Readonly<Record<Flag, Names>> {
  /** `readOnly` fields that an option lets clients set. */
  readonly settable: Names
}

/** The flagged fields of each schema. Options and other schemas may flag them, too. */
interface FlagsBySchema {
  get(schema: JsonSchema): SchemaFlags | undefined
  /** The schemas whose fields have a flag at one place, and not at another. */
  readonly mixed: ReadonlySet<JsonSchema>
}

/** Returns whether a field is flagged, in any branch that a discriminator may choose. */
const isFlagged = (member: ShapeMember, flag: Flag): boolean =>
  member[flag] || (!(flag === 'readOnly' && member.isSettable) && member.shape.mayHave(flag))

/** Returns the fields of an object that only the server sets. */
export const serverSetNames = (shape: Shape): Names =>
  shape.remember(
    serverSetNames,
    () => new Set([...shape.names, ...shape.anyRequired].filter((name) => isFlagged(shape.field(name), 'readOnly')))
  )

/**
 * Returns the flags by schema. Bodies are validated by one definition for all its places, and
 * documents have one, so a schema with different flags at two places is refused.
 */
export const flagsBySchema = ({ root }: Shapes): FlagsBySchema =>
  root.remember(flagsBySchema, () => {
    const bySchema = new Map<JsonSchema, SchemaFlags>()
    const mixed = new Set<JsonSchema>()
    const shapes = new Set([root])
    for (const shape of shapes) {
      // Without a branch, an object has the flags of all branches.
      const isChosen = shape.unions.length === 0
      for (const inner of isChosen ? shape.memberShapes : shape.branchShapes) shapes.add(inner)
      // A name may match several patterns.
      if (shape.rulesOfNames.length > 1) shapes.add(shape.shapes.of(shape.rulesOfNames))
      for (const schema of isChosen ? shape.subschemas : []) {
        const [before, flags] = [bySchema.get(schema), flagsOf(schema, shape)]
        if (before !== undefined && keyOfFlags(before) !== keyOfFlags(flags)) mixed.add(schema)
        bySchema.set(schema, before ?? flags)
      }
    }
    return { get: (schema) => bySchema.get(schema), mixed }
  })

function flagsOf({ properties = {}, required = [], minProperties }: JsonSchema, shape: Shape): SchemaFlags {
  const others = minProperties === undefined ? [] : shape.names
  const names = [...new Set([...Object.keys(properties), ...required, ...others])].sort()
  const namesWhere = (is: (member: ShapeMember) => unknown) => new Set(names.filter((name) => is(shape.field(name))))
  return {
    readOnly: namesWhere((member) => isFlagged(member, 'readOnly')),
    writeOnly: namesWhere((member) => isFlagged(member, 'writeOnly')),
    settable: namesWhere(({ isSettable }) => isSettable)
  }
}

const keyOfFlags = ({ readOnly, writeOnly }: SchemaFlags) => JSON.stringify([...readOnly, 0, ...writeOnly])

/** Returns the fewest fields that a body must have. The server adds its own, but not all. */
export const leastSent = (least: number, added: number): number => Math.max(Math.min(least, 1), least - added)
