const actions: ReadonlyMap<string, string> = new Map([
  ['create', 'Create'],
  ['update', 'Replace'],
  ['patch', 'Edit'],
  ['remove', 'Remove']
])

/**
 * What the way to a method is called. A name of an application becomes words: `archiveAll` is
 * `Archive all`.
 */
export function toActionLabel(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
  return actions.get(name) ?? words.replace(/[-_]+/g, ' ').replace(/^\p{L}/u, (first) => first.toUpperCase())
}

/** What the button of a form is called. */
export const toButtonLabel = (name: string): string => (name === 'patch' ? 'Save' : toActionLabel(name))

const outcomes: ReadonlyMap<string, string> = new Map([
  ['create', 'Created.'],
  ['update', 'Replaced.'],
  ['patch', 'Saved.'],
  ['remove', 'Removed.']
])

/** The sentence that follows a call. */
export const toOutcome = (name: string): string => outcomes.get(name) ?? 'Done.'
