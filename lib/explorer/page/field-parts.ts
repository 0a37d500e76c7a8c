import { type Entry, type Filled, toData, toFieldText } from '../model/data.js'
import { momentHint } from '../model/moments.js'
import type { RecordSearch } from '../model/references.js'
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
  /** Its label. List items get a new one when they move. */
  readonly label: HTMLElement
  read(): Entry
  /** The parts of the form that can be wrong, by their places. */
  marks(place: string): readonly (readonly [place: string, mark: Mark])[]
}

/** Fields that are read and marked together. */
export interface FormPart {
  read(): Filled
  marks(): ReadonlyMap<string, Mark>
}

/** @param isChange whether only those are read that have changed */
export const toFormPart = (views: readonly FieldView[], isChange = false): FormPart => ({
  read: () =>
    toData(
      views.map((view) => view.read()),
      isChange
    ),
  marks: () => new Map(views.flatMap((view) => view.marks(view.read().field.name)))
})

/**
 * The start of a field: the value of the record, and the text to show if another one was typed.
 */
export interface Start {
  readonly value: unknown
  readonly shown: unknown
}

/** The start of a field without a value. */
export const nothing: Start = { value: undefined, shown: undefined }

/** State that all fields of a form share. */
export interface FieldContext {
  /** Whether only those are sent that change. */
  readonly isChange: boolean
  /** The search for records of a service. */
  records?(service: string): RecordSearch | undefined
}

export const requiredMark = ({ isRequired }: Field): Content =>
  isRequired && element('span', { className: 'requirement' }, ' required')

/** Returns the hint under a field: its rules and its description. */
export function hintOf(field: Field): string {
  const { kind, standard, isNullable, isRequired, rules, description, refersTo } = field
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [
    kind === 'json' && 'JSON',
    kind === 'moment' && momentHint(field.format, zone),
    ...rules,
    refersTo !== undefined && `id of a record in /${refersTo}`,
    isNullable && (isRequired ? 'can be null' : 'optional, can be null'),
    standard !== undefined && standard !== null && `default: ${toFieldText(standard) || 'empty'}`,
    description
  ]
    .filter(Boolean)
    .join(' · ')
}
