import { type Entry, toFieldText } from '../model/data.js'
import type { Field } from '../model/schema.js'
import { element, fill, freshId, select } from './element.js'

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** A field of a form. */
export interface FieldView {
  readonly view: HTMLElement
  readonly input: Input
  read(): Entry
}

/** Makes an input for a field, with its label, what it is, and room for what is wrong with it. */
export function fieldView(field: Field, value: unknown): FieldView {
  const input = inputFor(field, toFieldText(value, field.kind))
  // An input changes some texts by itself: those with `\r`.
  const initial = input.value
  input.required = field.isRequired
  // What was wrong may be right now.
  input.addEventListener('input', () => {
    input.ariaInvalid = null
    fill(wrong)
  })
  const wrong = element('p', { className: 'wrong', id: freshId() })
  const hint = [field.kind === 'json' && 'JSON', field.isNullable && 'may be empty', field.description].filter(Boolean)
  const about = element('p', { className: 'dim', id: freshId() }, hint.join(' · '))
  input.setAttribute('aria-describedby', `${wrong.id} ${about.id}`)
  const label = element(
    'label',
    { htmlFor: input.id },
    field.name,
    field.isRequired && element('span', { className: 'dim' }, ' required')
  )
  return {
    view: element('div', { className: 'field' }, label, input, wrong, hint.length > 0 && about),
    input,
    read: () => ({
      field,
      text: input.value,
      initial,
      value,
      ...(input instanceof HTMLInputElement && input.files !== null && { files: [...input.files] })
    })
  }
}

function inputFor(field: Field, text: string): Input {
  const properties = { id: freshId(), key: `field ${field.name}` }
  if (field.kind === 'file') return element('input', { ...properties, type: 'file', multiple: field.isMany })
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices.map(String)
    const all = choices.includes(text) || text === '' ? choices : [...choices, text]
    return select(
      ['', ...all].map((choice) => [choice, choice]),
      text,
      properties
    )
  }
  const isTall = !field.isSecret && (field.isLong || field.kind === 'json' || /[\r\n]/.test(text))
  if (isTall)
    return element('textarea', {
      ...properties,
      value: text,
      rows: Math.min(12, Math.max(3, text.split('\n').length)),
      spellcheck: field.isLong
    })
  return element('input', {
    ...properties,
    type: field.isSecret ? 'password' : 'text',
    inputMode: field.kind === 'number' ? 'decimal' : 'text',
    autocomplete: 'off',
    value: text
  })
}
