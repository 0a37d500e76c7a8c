import type { Flag } from './reader.js'

/** Names of fields: a set, or what tells them by rules. */
export type NameSet = Pick<ReadonlySet<string>, 'has' | 'size'>

/** Names of fields that options flag: of the record, and of each record of its kind within it. */
export interface FlaggedNames extends Readonly<Record<Flag, NameSet>> {
  /**
   * Fields of the record that clients may set, although a schema or an option says that only the
   * server does.
   */
  readonly settable?: NameSet
  /**
   * Of fields that hold what is hidden without a name: hidden where a schema does not spell them
   * out.
   */
  readonly holders?: NameSet
  /**
   * Of fields that hold objects which hide something: a text in the place of one may be its JSON.
   */
  readonly textless?: Pick<NameSet, 'has'>
}

/** An object whose fields may be flagged by their names. */
export interface FlaggedObject {
  /** The names of the fields that its schema lists. */
  readonly names: readonly string[]
  /** Whether the object is the record that the schema describes, not one within it. */
  readonly isRecord: boolean
}

interface NameOptions {
  readonly flagged: FlaggedNames
  /** The names of the fields of the record, where the schema is not that of the record. */
  readonly recordNames?: readonly string[] | undefined
}

/**
 * Whether a field has a flag by its name. In a schema of something else than the record, an object
 * with all of its names is the record, and one that has no other names is a part of it. Names that
 * an object does not spell out are those of the record, too.
 */
export function isFlaggedByName(
  flag: Flag,
  name: string,
  { names, isRecord }: FlaggedObject,
  { flagged, recordNames }: NameOptions
): boolean {
  if (flag === 'writeOnly' && flagged.holders?.has(name) && !names.includes(name)) return true
  if (!flagged[flag].has(name)) return false
  if (recordNames === undefined) return isRecord
  if (recordNames.length > 0 && recordNames.every((field) => names.includes(field))) return true
  if (!names.includes(name)) return flag === 'writeOnly' || isRecord
  const isPart = names.every((field) => recordNames.includes(field))
  // An object of nothing but hidden fields, such as an answer with a new password, exists to show
  // them.
  return flag === 'writeOnly' && isPart && names.some((field) => !flagged.writeOnly.has(field))
}
