import { toFieldText } from '../model/data.js'
import { isObject } from '../model/json.js'
import { fromInputMoment, momentInputs, toInputMoment } from '../model/moments.js'
import type { Field } from '../model/schema.js'
import { element, fill, freshId, select } from './element.js'
import { type FieldContext, type FieldView, hintOf, requiredMark, type Start } from './field-parts.js'
import { listFieldView, objectFieldView } from './nested-view.js'

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Makes the view of a field, with its label, what it is, and room for what is wrong with it. */
export function fieldView(field: Field, start: Start, context: FieldContext): FieldView {
  const fits = ({ value, shown }: Start, is: (value: unknown) => boolean) =>
    [value, shown].every((part) => part === undefined || part === null || is(part))
  if (field.kind === 'list' && fits(start, Array.isArray)) return listFieldView(field, start, context, fieldView)
  const isNested = field.kind === 'object' || field.kind === 'union'
  if (isNested && fits(start, isObject)) return objectFieldView(field, start, context, fieldView)
  return leafView(isNested || field.kind === 'list' ? { ...field, kind: 'json' } : field, start, context)
}

function leafView(field: Field, { value, shown }: Start, context: FieldContext): FieldView {
  const control = controlFor(field, toFieldText(value, field.kind), toFieldText(shown, field.kind))
  const { input } = control
  // An input changes some texts by itself: those with `\r`.
  const initial = control.read()
  control.write(toFieldText(shown, field.kind))
  const isSwitch = input instanceof HTMLInputElement && input.type === 'checkbox'
  // A required switch without a value starts as off.
  if (isSwitch && field.isRequired && shown === undefined && !context.isChange) input.indeterminate = false
  input.required = field.isRequired && !isSwitch
  // The value may be valid now.
  input.addEventListener('input', () => {
    input.ariaInvalid = null
    fill(wrong)
  })
  const wrong = element('p', { className: 'wrong', id: freshId() })
  const hint = hintOf(field)
  const about = element('p', { className: 'dim about', id: freshId() }, hint)
  input.setAttribute('aria-describedby', `${wrong.id} ${about.id}`)
  const label = element('label', { htmlFor: input.id }, field.name, requiredMark(field))
  const choices = context.records && field.refersTo !== undefined ? recordChoices(field, input, context) : undefined
  return {
    view: element(
      'div',
      { className: isSwitch ? 'field switch' : 'field' },
      label,
      input,
      choices,
      wrong,
      hint !== '' && about
    ),
    label,
    read: () => ({
      field,
      text: control.read(),
      initial,
      value,
      ...(input instanceof HTMLInputElement && input.files !== null && { files: [...input.files] })
    }),
    marks: (place) => [[place, { input, note: wrong }]]
  }
}

interface Control {
  readonly input: Input
  read(): string
  write(text: string): void
}

function controlFor(field: Field, text: string, shown: string): Control {
  const properties = { id: freshId(), key: `field ${field.name}` }
  const plain = (input: Input): Control => ({
    input,
    read: () => input.value,
    write: (typed) => {
      if (input.value !== typed && !(input instanceof HTMLInputElement && input.type === 'file')) input.value = typed
    }
  })
  if (field.kind === 'file') return plain(element('input', { ...properties, type: 'file', multiple: field.isMany }))
  if (field.kind === 'boolean' && !field.isNullable && [text, shown].every((part) => /^(true|false|)$/.test(part)))
    return switchControl(element('input', { ...properties, type: 'checkbox' }), text)
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices.map(String)
    const all = [...new Set(['', ...choices, text, shown])].filter((choice) => choice !== '')
    return plain(select([['', '—'], ...all.map((choice) => [choice, choice] as const)], text, properties))
  }
  if (field.kind === 'moment') {
    const moments = [text, shown].map((part) => toInputMoment(part, field.format))
    if (!moments.includes(undefined))
      return momentControl(
        element('input', { ...properties, type: momentInputs.get(field.format), step: '1', value: moments[0] }),
        field
      )
  }
  const isTall = !field.isSecret && (field.isLong || field.kind === 'json' || /[\r\n]/.test(text + shown))
  if (isTall)
    return plain(
      element('textarea', {
        ...properties,
        value: text,
        rows: field.kind === 'json' ? 2 : 3,
        spellcheck: field.isLong,
        className: field.kind === 'json' ? 'code' : ''
      })
    )
  const numbers = /^(-?\d+(\.\d+)?)?$/
  if (field.kind === 'number' && [text, shown].every((part) => numbers.test(part))) {
    const { min, max, step } = field.range
    return plain(
      element('input', {
        ...properties,
        type: 'number',
        step: step === undefined ? 'any' : String(step),
        min: min === undefined ? '' : String(min),
        max: max === undefined ? '' : String(max),
        value: text
      })
    )
  }
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

/** A box that is neither on nor off until somebody has decided: then nothing is sent. */
function switchControl(input: HTMLInputElement, text: string): Control {
  const write = (typed: string) => {
    input.checked = typed === 'true'
    input.indeterminate = typed === ''
  }
  write(text)
  return { input, read: () => (input.indeterminate ? '' : String(input.checked)), write }
}

function momentControl(input: HTMLInputElement, { format }: Field): Control {
  return {
    input,
    read: () => fromInputMoment(input.value, format),
    write: (typed) => {
      input.value = toInputMoment(typed, format) ?? ''
    }
  }
}

/** The records that a field may refer to, asked for as soon as somebody comes to it. */
function recordChoices({ refersTo = '' }: Field, input: Input, { records }: FieldContext): HTMLElement {
  const list = element('datalist', { id: freshId() })
  input.setAttribute('list', list.id)
  const load = async () => {
    const choices = (await records?.(refersTo)) ?? []
    list.append(...choices.map(([value, label]) => element('option', { value, label })))
  }
  input.addEventListener('focus', () => void load(), { once: true })
  return list
}
