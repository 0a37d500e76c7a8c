import { type Entry, type Filled, parseInput, toForm, variantOf } from '../model/data.js'
import { entriesOf, isObject, propertyOf, textOf } from '../model/json.js'
import { button, element, fill } from './element.js'
import type { View } from './explorer.js'
import { type FieldContext, type FieldView, type FormPart, toFormPart } from './field-parts.js'
import { fieldView } from './field-view.js'
import { type JSONEditor, jsonEditor } from './json-editor.js'
import { fixedValue, isFixed, variantChoice } from './nested-view.js'
import { markProblems } from './problem-view.js'
import { searchOf } from './references.js'

/** The form for the body of a call. */
export interface BodyView extends FormPart {
  readonly view: HTMLElement
  /** The texts that are not for the eyes of others. */
  secrets(): string[]
}

/**
 * The data of a call: fields, where the document says which, or else JSON. `change` is called as
 * they are typed.
 */
export function bodyView({ operation, explorer }: View, record: unknown, change: () => void, may?: unknown): BodyView {
  const { bodies, isForm, name } = operation
  const isChange = name === 'patch'
  const context: FieldContext = { isChange, records: (path) => searchOf(explorer, path) }
  const view = element('div', { className: 'body', oninput: change })
  let fields: FieldView[] = []
  let json: JSONEditor | undefined
  let chosen = variantOf(bodies, record)
  const sendable = propertyOf(may, name)

  const read = (): Filled => {
    const { data, problems } = toFormPart(fields, isChange).read()
    if (json === undefined) return { data: isForm ? toForm(fields.map((field) => field.read())) : data, problems }
    const text = json.input.value
    const { value, problem } = text.trim() === '' ? {} : parseInput(text)
    return {
      data: isObject(value) ? { ...value, ...Object(data) } : value,
      problems: problem === undefined ? problems : new Map([...problems, ['JSON', problem]])
    }
  }

  function render(text?: string, typed: unknown = record): void {
    const body = bodies[chosen] ?? []
    const isJSON = body.length === 0 || text !== undefined
    // Secret fields stay password inputs, also in JSON mode.
    fields = body
      .filter((field) => (!isJSON || field.isSecret) && !(Array.isArray(sendable) && !sendable.includes(field.name)))
      .map((field) => {
        const before = propertyOf(record, field.name, fixedValue(field))
        // Fields that the JSON of a change omits keep their values.
        const shown = propertyOf(typed, field.name, isChange ? before : fixedValue(field))
        return fieldView(field, { value: before, shown }, context)
      })
    json = isJSON ? jsonEditor(text ?? '', body.length === 0) : undefined
    fill(
      view,
      bodies.length > 1 && json === undefined && variantChoice(bodies, chosen, choose),
      fields.filter((field) => !isFixed(field.read().field)).map((field) => field.view),
      json?.view,
      isForm || body.length === 0 ? undefined : toggle(isJSON)
    )
    change()
  }

  const choose = (variant: number) => {
    chosen = variant
    render()
  }
  const toggle = (isJSON: boolean) => {
    const turn = () => {
      // The other form could not show what is not a value yet.
      if (markProblems({ read, marks })) return
      if (isJSON) render(undefined, read().data)
      else renderJSON(read().data)
    }
    return button(isJSON ? 'As fields' : 'As JSON', turn, { className: 'small' })
  }
  function renderJSON(data: unknown): void {
    const isOpen = ([name]: [string, unknown]) =>
      !bodies[chosen]?.some((field) => field.isSecret && field.name === name)
    render(JSON.stringify(Object.fromEntries(entriesOf(data).filter(isOpen)), null, 2), data)
  }

  render()
  const secrets = () => {
    // Who writes JSON may write it there.
    const named = bodies.flatMap((body) => body.filter(({ isSecret }) => isSecret))
    const inJSON = json === undefined ? [] : [parseInput(json.input.value).value].flat()
    return [
      ...secretsIn(fields.map((field) => field.read())),
      ...inJSON.flatMap((record) => named.flatMap(({ name }) => textOf(propertyOf(record, name)) ?? []))
    ]
  }
  const marks = () => new Map([...toFormPart(fields).marks(), ...(json === undefined ? [] : [['JSON', json] as const])])
  return { view, marks, read, secrets }
}

const secretsIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ field, text, inside = [] }) => [...(field.isSecret ? [text] : []), ...secretsIn(inside)])

/** The initial values of a form: the record, if it is an object. */
export function toInitial(record: unknown): object {
  const { $may, ...fields } = isObject(record) ? record : {}
  return fields
}
