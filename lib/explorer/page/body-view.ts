import { type Filled, parseInput, toData, toFieldText, toForm } from '../model/data.js'
import { entriesOf, type Field, isObject, propertyOf, textOf } from '../model/schema.js'
import { button, type Content, element, fill, freshId, labelled, select } from './element.js'
import type { View } from './explorer.js'
import { type FieldView, fieldView } from './field-view.js'

/** What a call sends, as it is typed. */
export interface BodyView {
  readonly view: HTMLElement
  readonly inputs: ReadonlyMap<string, HTMLElement>
  read(): Filled
  /** The texts that are not for the eyes of others. */
  secrets(): string[]
}

/** The data of a call: fields, where the document says which, or else JSON. `change` is called as they are typed. */
export function bodyView({ operation }: View, record: unknown, change: () => void): BodyView {
  const { bodies, isForm, name } = operation
  const inputs = new Map<string, HTMLElement>()
  const view = element('div', { className: 'body', oninput: change })
  let fields: FieldView[] = []
  let json: HTMLTextAreaElement | undefined
  let chosen = 0

  const read = (): Filled => {
    const entries = fields.map((field) => field.read())
    if (json === undefined) {
      const filled = toData(entries, name === 'patch')
      return isForm ? { data: toForm(entries), problems: filled.problems } : filled
    }
    const { value, problem } = json.value.trim() === '' ? {} : parseInput(json.value)
    const data = isObject(value) ? { ...value, ...Object(toData(entries, name === 'patch').data) } : value
    return { data, problems: new Map(problem === undefined ? [] : [['JSON', problem]]) }
  }

  function render(text?: string, typed?: unknown): void {
    inputs.clear()
    const body = bodies[chosen] ?? []
    const isJSON = body.length === 0 || text !== undefined
    // What is secret stays covered.
    fields = body
      .filter((field) => !isJSON || field.isSecret)
      .map((field) => fieldView(field, startText(field, record)))
    for (const view of fields) {
      const { name, kind } = view.read().field
      inputs.set(name, view.input)
      if (propertyOf(typed, name) !== undefined) view.input.value = toFieldText(propertyOf(typed, name), kind)
    }
    json = isJSON ? jsonInput(text ?? '', body.length === 0) : undefined
    if (json !== undefined) inputs.set('JSON', json)
    fill(
      view,
      kinds(),
      fields.filter((field) => !isFixed(field.read().field)).map((field) => field.view),
      json && jsonField(json, body.length === 0),
      isForm || body.length === 0 ? undefined : toggle(isJSON)
    )
    change()
  }

  /** Which of the bodies it is, where there are several. */
  function kinds(): Content {
    if (bodies.length < 2 || json !== undefined) return undefined
    const labels = bodies.map(
      (body) =>
        body.find(({ choices }) => choices.length === 1)?.choices[0] ?? body.map((field) => field.name).join(', ')
    )
    const choice = select(
      labels.map((label, index) => [String(index), String(label)]),
      String(chosen),
      { id: freshId(), key: 'kind' }
    )
    choice.onchange = () => {
      chosen = Number(choice.value)
      render()
    }
    return labelled('Kind', choice)
  }

  const toggle = (isJSON: boolean) => {
    const change = () => (isJSON ? render(undefined, read().data) : renderJSON(read().data))
    return button(isJSON ? 'As fields' : 'As JSON', change, { className: 'small' })
  }
  function renderJSON(data: unknown): void {
    const isOpen = ([name]: [string, unknown]) =>
      !bodies[chosen]?.some((field) => field.isSecret && field.name === name)
    render(JSON.stringify(Object.fromEntries(entriesOf(data).filter(isOpen)), null, 2), data)
  }

  render()
  const secrets = () => {
    const ofFields = fields.map((input) => input.read()).flatMap(({ field, text }) => (field.isSecret ? [text] : []))
    // Who writes JSON may write it there.
    const named = bodies.flatMap((body) => body.filter(({ isSecret }) => isSecret))
    const inJSON = json === undefined ? [] : [parseInput(json.value).value].flat()
    return [
      ...ofFields,
      ...inJSON.flatMap((record) => named.flatMap(({ name }) => textOf(propertyOf(record, name)) ?? []))
    ]
  }
  return { view, inputs, read, secrets }
}

// There is nothing to choose.
const isFixed = ({ isRequired, choices }: Field) => isRequired && choices.length === 1

const startText = ({ name, choices }: Field, record: unknown) => {
  const value = propertyOf(record, name)
  return value === undefined && choices.length === 1 ? choices[0] : value
}

const jsonInput = (value: string, isFree: boolean) =>
  element('textarea', { id: freshId(), rows: isFree ? 4 : 10, spellcheck: false, value, key: 'json' })

const jsonField = (input: HTMLTextAreaElement, isFree: boolean) =>
  labelled(
    'JSON',
    input,
    element('p', { className: 'wrong' }),
    isFree &&
      element(
        'p',
        { className: 'dim' },
        'The document does not say what this method takes: write it as JSON, or leave it empty to send nothing.'
      )
  )

/** What a form begins with: the record, where it is an object. */
export const toInitial = (record: unknown) => (isObject(record) ? record : {})
