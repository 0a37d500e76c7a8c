import { type Entry, toFieldText } from '../model/data.js'
import { momentHint } from '../model/moments.js'
import type { Field } from '../model/schema.js'
import { type Content, element } from './element.js'

/** Where something can be wrong: what is marked, and the note beside it. */
export interface Mark {
  readonly input: HTMLElement
  readonly note: HTMLElement
}

/** A field of a form. */
export interface FieldView {
  readonly view: HTMLElement
  /** What names it: items of a list are named anew when they move. */
  readonly label: HTMLElement
  read(): Entry
  /** The parts of the form that can be wrong, by their places. */
  marks(place: string): readonly (readonly [place: string, mark: Mark])[]
}

/**
 * What a field begins with: the value of the record, and what is shown in its place where that was
 * typed elsewhere.
 */
export interface Start {
  readonly value: unknown
  readonly shown: unknown
}

/** What the fields of a form share. */
export interface FieldContext {
  /** Whether only those are sent that change. */
  readonly isChange: boolean
  /** The records of a service to choose from. */
  records?(service: string): Promise<readonly (readonly [id: string, label: string])[]>
}

export const requiredMark = ({ isRequired }: Field): Content =>
  isRequired && element('span', { className: 'requirement' }, ' required')

/** What a value must be, and what it is for. */
export function hintOf(field: Field): string {
  const { kind, standard, isNullable, rules, description, refersTo } = field
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [
    kind === 'json' && 'JSON',
    kind === 'moment' && momentHint(field.format, zone),
    ...rules,
    refersTo !== undefined && `a record of /${refersTo}`,
    isNullable && 'may be empty',
    standard !== undefined && standard !== null && `by default ${toFieldText(standard) || 'empty'}`,
    description
  ]
    .filter(Boolean)
    .join(' · ')
}
