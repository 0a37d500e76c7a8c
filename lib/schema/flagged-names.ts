import type { Flag } from './reader.js'

/** Names of fields: a set, or an object that decides by rules. */
export type NameSet = Pick<ReadonlySet<string>, 'has' | 'size'>

/** The fields that options flag, in the record and in records of its kind within it. */
export interface FlaggedNames extends Readonly<Record<Flag, NameSet>> {
  /** `readOnly` fields that clients may set all the same. */
  readonly settable?: NameSet
  /** Fields that hide unnamed values. They are hidden where a schema does not list them. */
  readonly containers?: NameSet
  /** Fields in which a string may be the JSON of an object with hidden fields. */
  readonly redactsText?: Pick<NameSet, 'has'>
}

/** For schemas without options that flag fields. */
export const noNames: FlaggedNames = { readOnly: new Set(), writeOnly: new Set() }

/** An object whose fields may be flagged by their names. */
interface FlaggedObject {
  /** The names of the fields that its schema lists. */
  readonly names: readonly string[]
  /** Whether the object is the record that the schema describes, not one within it. */
  readonly isRecord: boolean
}

interface NameOptions {
  readonly flagged: FlaggedNames
  /** The names of the record's fields, if the schema describes something else. */
  readonly recordNames?: readonly string[] | undefined
}

/**
 * Returns whether a field has a flag by its name. In a schema of something else than the record, an
 * object that lists all names of the record is the record, and one that lists only such names is a
 * part of it. A name that an object does not list counts as one of the record, too.
 */
export function isFlaggedByName(
  flag: Flag,
  name: string,
  { names, isRecord }: FlaggedObject,
  { flagged, recordNames }: NameOptions
): boolean {
  if (flag === 'writeOnly' && flagged.containers?.has(name) && !names.includes(name)) return true
  if (!flagged[flag].has(name)) return false
  if (recordNames === undefined) return isRecord
  if (recordNames.length > 0 && recordNames.every((field) => names.includes(field))) return true
  if (!names.includes(name)) return flag === 'writeOnly' || isRecord
  const isPart = names.every((field) => recordNames.includes(field))
  // An object of hidden fields only, such as an answer with a new password, exists to show them.
  return flag === 'writeOnly' && isPart && names.some((field) => !flagged.writeOnly.has(field))
}
