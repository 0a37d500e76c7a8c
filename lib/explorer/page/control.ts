import { toSign } from '../model/labels.js'
import { fromInputMoment, momentInputs, toInputMoment } from '../model/moments.js'
import type { InputText } from '../model/query.js'
import type { RecordSearch } from '../model/references.js'
import type { Field } from '../model/schema.js'
import { referenceControl } from './combobox.js'
import { element, fill, hasTyped, select } from './element.js'

export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** An input for one value. */
export interface Control {
  /** The element that has the label, the focus and the mark of an error. */
  readonly input: Input
  /** The input with what belongs to it. Default: the input. */
  readonly view?: HTMLElement
  read(): InputText
  write(text: string): void
}

export type InputProperties = {
  readonly id: string
  readonly key: string
  readonly ariaLabel?: string
}

// Browsers give '' as the value of an input that they can't read yet: `02/05/`, `1e`.
const unfinished: Readonly<Record<string, string>> = {
  number: 'This is not a number yet.',
  date: 'This date is not complete, or there is no such day.',
  time: 'This time is not complete.',
  'datetime-local': 'This date or its time is not complete.'
}

const plain = (
  input: Input,
  toText = (value: string): string => value,
  toValue = (text: string): string => text
): Control => ({
  input,
  read: () => ({
    text: toText(input.value),
    ...(input.validity.badInput && { problem: unfinished[input.type] ?? 'This is not complete.' })
  }),
  write: (text) => {
    if (toText(input.value) !== text) input.value = toValue(text)
  }
})

/**
 * Tells a form that an input is left unfinished, or is no longer so. Browsers send no event if
 * somebody types a part of a date.
 */
export function watchUnfinished({ input, read }: Control, say: (problem: string | undefined) => void = () => {}): void {
  let before: string | undefined
  input.addEventListener('blur', () => {
    const { problem } = read()
    if (problem === before) return
    before = problem
    hasTyped(input)
    say(problem)
  })
}

/**
 * Creates the control for a field that may show either of two texts.
 * @param search finds the records that the field may refer to
 */
export function controlFor(
  field: Field,
  [text, shown]: readonly [string, string],
  properties: InputProperties,
  search?: RecordSearch
): Control {
  const texts = [text, shown]
  if (search !== undefined) return referenceControl(field, text, properties, search)
  if (field.kind === 'file')
    return fileControl(
      element('input', { ...properties, type: 'file', multiple: field.isMany, accept: field.accept.join(',') })
    )
  if (field.kind === 'boolean' && !field.isNullable && texts.every((part) => /^(true|false|)$/.test(part)))
    return switchControl(element('input', { ...properties, type: 'checkbox' }), text, field.isRequired)
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices.map(String)
    const all = [...new Set([...choices, ...texts])].filter((choice) => choice !== '')
    const isBoolean = choices.join() === 'true,false'
    const toLabel = (choice: string) => (isBoolean ? `${toSign(choice === 'true')} ${choice}` : choice)
    return plain(select([['', '—'], ...all.map((choice) => [choice, toLabel(choice)] as const)], text, properties))
  }
  const moments = texts.map((part) => toInputMoment(part, field.format))
  if (field.kind === 'moment' && !moments.includes(undefined))
    return plain(
      element('input', { ...properties, type: momentInputs.get(field.format), step: '1', value: moments[0] }),
      (value) => fromInputMoment(value, field.format),
      (typed) => toInputMoment(typed, field.format) ?? ''
    )
  if (!field.isSecret && (field.isLong || field.kind === 'json' || /[\r\n]/.test(text + shown)))
    return plain(
      element('textarea', {
        ...properties,
        value: text,
        rows: field.kind === 'json' ? 2 : 3,
        spellcheck: field.isLong,
        className: field.kind === 'json' ? 'code' : ''
      })
    )
  if (field.kind === 'number' && texts.every((part) => /^(-?\d+(\.\d+)?)?$/.test(part)))
    return numberControl(field, text, properties)
  const types: Readonly<Record<string, string>> = { email: 'email', uri: 'url' }
  return plain(
    element('input', {
      ...properties,
      type: field.isSecret ? 'password' : (types[field.format ?? ''] ?? 'text'),
      autocomplete: 'off',
      value: text
    })
  )
}

function numberControl({ range: { min, max, step } }: Field, value: string, properties: InputProperties): Control {
  const input = element('input', {
    ...properties,
    type: 'number',
    step: String(step ?? 'any'),
    min: String(min ?? ''),
    max: String(max ?? ''),
    value
  })
  // The wheel would change the number of a focused input, unseen.
  input.addEventListener('wheel', () => input.blur(), { passive: true })
  return plain(input)
}

function fileControl(input: HTMLInputElement): Control {
  const preview = element('div', { className: 'preview' })
  input.addEventListener('change', () => {
    const images = [...(input.files ?? [])].filter(({ type }) => type.startsWith('image/'))
    fill(
      preview,
      images.map((file) => {
        const image = element('img', { src: URL.createObjectURL(file), alt: file.name })
        image.onload = () => URL.revokeObjectURL(image.src)
        return image
      })
    )
  })
  // Only the user can choose files.
  return {
    input,
    view: element('div', {}, input, preview),
    read: () => ({ text: input.value, files: [...(input.files ?? [])] }),
    write: () => {}
  }
}

const switchStates = ['', 'true', 'false']

/** A checkbox that is neither on nor off until somebody decides. An optional one has this state again. */
function switchControl(input: HTMLInputElement, text: string, isRequired: boolean): Control {
  const read = () => (input.indeterminate ? '' : String(input.checked))
  const write = (typed: string) => {
    input.checked = typed === 'true'
    input.indeterminate = typed === ''
  }
  let before = text
  // Before the events `input` and `change`, which tell others.
  input.addEventListener('click', () => {
    const next = switchStates[(switchStates.indexOf(before) + 1) % 3] as string
    if (!isRequired) write(next)
    before = read()
  })
  write(text)
  return {
    input,
    read: () => ({ text: read() }),
    write: (typed) => {
      write(typed)
      before = typed
    }
  }
}
