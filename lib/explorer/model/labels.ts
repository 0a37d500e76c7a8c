const actions: ReadonlyMap<string, string> = new Map([
  ['create', 'Create'],
  ['update', 'Replace'],
  ['patch', 'Edit'],
  ['remove', 'Remove']
])

/**
 * Returns the label of a link to a method. Camel case becomes words: `archiveAll` is `Archive all`.
 */
export function toActionLabel(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
  return actions.get(name) ?? words.replace(/[-_]+/g, ' ').replace(/^\p{L}/u, (first) => first.toUpperCase())
}

/** The sign of a boolean, in tables, records and forms. */
export const toSign = (value: boolean): string => (value ? '✓' : '✗')

/** Returns the label of a submit button. */
export const toButtonLabel = (name: string): string => (name === 'patch' ? 'Save' : toActionLabel(name))

const outcomes: ReadonlyMap<string, string> = new Map([
  ['create', 'Created.'],
  ['update', 'Replaced.'],
  ['patch', 'Saved.'],
  ['remove', 'Removed.']
])

/** The sentence that follows a call. */
export const toOutcome = (name: string): string => outcomes.get(name) ?? 'Done.'
