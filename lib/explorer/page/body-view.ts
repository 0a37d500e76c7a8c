import { type Filled, parse, toData, toForm, toText } from '../model/data.js'
import { entriesOf, type Field, isObject, own, textOf } from '../model/schema.js'
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
    const entries = fields.map((one) => one.read())
    if (json === undefined) {
      const filled = toData(entries, name === 'patch')
      return isForm ? { data: toForm(entries), problems: filled.problems } : filled
    }
    const { value, problem } = json.value.trim() === '' ? {} : parse(json.value)
    const data = isObject(value) ? { ...value, ...Object(toData(entries, name === 'patch').data) } : value
    return { data, problems: new Map(problem === undefined ? [] : [['JSON', problem]]) }
  }

  function render(text?: string, typed?: unknown): void {
    inputs.clear()
    const body = bodies[chosen] ?? []
    const isJSON = body.length === 0 || text !== undefined
    // What is secret stays covered.
    fields = body.filter((field) => !isJSON || field.isSecret).map((field) => fieldView(field, startOf(field, record)))
    for (const one of fields) {
      const { name, kind } = one.read().field
      inputs.set(name, one.input)
      if (own(typed, name) !== undefined) one.input.value = toText(own(typed, name), kind)
    }
    json = isJSON ? jsonInput(text ?? '') : undefined
    if (json !== undefined) inputs.set('JSON', json)
    fill(
      view,
      kinds(),
      fields.filter((one) => !isFixed(one.read().field)).map((one) => one.view),
      json && jsonField(json),
      isForm || body.length === 0 ? undefined : toggle(isJSON)
    )
    change()
  }

  /** Which of the bodies it is, where there are several. */
  function kinds(): Content {
    if (bodies.length < 2 || json !== undefined) return undefined
    const labels = bodies.map(
      (body) => body.find(({ choices }) => choices.length === 1)?.choices[0] ?? body.map((one) => one.name).join(', ')
    )
    const made = select(
      labels.map((label, index) => [String(index), String(label)]),
      String(chosen),
      { id: freshId(), key: 'kind' }
    )
    made.onchange = () => {
      chosen = Number(made.value)
      render()
    }
    return labelled('Kind', made)
  }

  const toggle = (isJSON: boolean) => {
    const change = () => (isJSON ? render(undefined, read().data) : renderJSON(read().data))
    return button(isJSON ? 'As fields' : 'As JSON', change, { className: 'small' })
  }
  function renderJSON(data: unknown): void {
    const isOpen = ([name]: [string, unknown]) => !bodies[chosen]?.some((one) => one.isSecret && one.name === name)
    render(JSON.stringify(Object.fromEntries(entriesOf(data).filter(isOpen)), null, 2), data)
  }

  render()
  const secrets = () => {
    const ofFields = fields.map((one) => one.read()).flatMap(({ field, text }) => (field.isSecret ? [text] : []))
    // Who writes JSON may write it there.
    const named = bodies.flatMap((body) => body.filter(({ isSecret }) => isSecret))
    const inJSON = json === undefined ? [] : [parse(json.value).value].flat()
    return [...ofFields, ...inJSON.flatMap((one) => named.flatMap(({ name }) => textOf(own(one, name)) ?? []))]
  }
  return { view, inputs, read, secrets }
}

// There is nothing to choose.
const isFixed = ({ isRequired, choices }: Field) => isRequired && choices.length === 1

const startOf = ({ name, choices }: Field, record: unknown) => {
  const value = own(record, name)
  return value === undefined && choices.length === 1 ? choices[0] : value
}

const jsonInput = (value: string) =>
  element('textarea', { id: freshId(), rows: 10, spellcheck: false, value, key: 'json' })

const jsonField = (input: HTMLTextAreaElement) => labelled('JSON', input, element('p', { className: 'wrong' }))

/** What a form begins with: the record, where it is an object. */
export const toInitial = (record: unknown) => (isObject(record) ? record : {})
