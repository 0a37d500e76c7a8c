import { toFieldText } from '../model/data.js'
import { isObject } from '../model/json.js'
import type { Field } from '../model/schema.js'
import { controlFor, watchUnfinished } from './control.js'
import { element, fill, freshId } from './element.js'
import { type FieldContext, type FieldView, hintOf, requiredMark, type Start } from './field-parts.js'
import { listFieldView, objectFieldView } from './nested-view.js'

/** Creates the view of a field, with its label, its hint, and room for an error. */
export function fieldView(field: Field, start: Start, context: FieldContext): FieldView {
  const fits = ({ value, shown }: Start, is: (value: unknown) => boolean) =>
    [value, shown].every((part) => part === undefined || part === null || is(part))
  if (field.kind === 'list' && fits(start, Array.isArray)) return listFieldView(field, start, context, fieldView)
  const isNested = field.kind === 'object' || field.kind === 'union'
  if (isNested && fits(start, isObject)) return objectFieldView(field, start, context, fieldView)
  return leafView(isNested || field.kind === 'list' ? { ...field, kind: 'json' } : field, start, context)
}

/** Creates the view of a field with one input. */
export function leafView(field: Field, { value, shown }: Start, context: FieldContext): FieldView {
  const texts = [toFieldText(value, field.kind), toFieldText(shown, field.kind)] as const
  const search = field.refersTo === undefined ? undefined : context.records?.(field.refersTo)
  const control = controlFor(field, texts, { id: freshId(), key: `field ${field.name}` }, search)
  const { input } = control
  // An input changes some texts by itself: those with `\r`.
  const initial = control.read().text
  control.write(texts[1])
  const isSwitch = input.type === 'checkbox'
  // A required switch without a value starts as off.
  if (isSwitch && field.isRequired && shown === undefined && !context.isChange) control.write('false')
  input.required = field.isRequired && !isSwitch
  const wrong = element('p', { className: 'wrong', id: freshId() })
  const say = (problem?: string) => {
    input.ariaInvalid = problem === undefined ? null : 'true'
    fill(wrong, problem)
  }
  // The value may be valid now.
  input.addEventListener('input', () => say())
  watchUnfinished(control, say)
  const hint = hintOf(field)
  const about = element('p', { className: 'dim about', id: freshId() }, hint)
  input.setAttribute('aria-describedby', `${wrong.id} ${about.id}`)
  const label = element('label', { htmlFor: input.id }, field.name, requiredMark(field))
  return {
    view: element(
      'div',
      { className: isSwitch ? 'field switch' : 'field' },
      label,
      control.view ?? input,
      wrong,
      hint !== '' && about
    ),
    label,
    read: () => ({ field, initial, value, ...control.read() }),
    marks: (place) => [[place, { input, note: wrong }]]
  }
}
