import { placeWithin, toVariantLabel, variantOf } from '../model/data.js'
import { asList, propertyOf } from '../model/json.js'
import type { Field } from '../model/schema.js'
import { button, type Content, element, fill, freshId, hasTyped, labelled, select } from './element.js'
import { type FieldContext, type FieldView, hintOf, requiredMark, type Start } from './field-parts.js'

type Make = (field: Field, start: Start, context: FieldContext) => FieldView

/** A frame with a name, what it is, and room for what is wrong with it. */
function frame(field: Field) {
  const note = element('p', { className: 'wrong', id: freshId() })
  const label = element('legend', {}, field.name, requiredMark(field))
  const content = element('div', { className: 'inside' })
  const hint = hintOf(field)
  const view = element(
    'fieldset',
    {},
    label,
    hint !== '' && element('p', { className: 'dim about' }, hint),
    content,
    note
  )
  return { view, label, content, note }
}

/**
 * The fields of an object, or of one of several kinds of it; where it may be missing, a way to add
 * and to remove it.
 */
export function objectFieldView(field: Field, start: Start, context: FieldContext, make: Make): FieldView {
  const variants = field.variants()
  const { view, label, content, note } = frame(field)
  const first = variantOf(variants, start.value)
  const isThere = (value: unknown) => value !== undefined && value !== null
  let chosen = variantOf(variants, start.shown ?? start.value)
  let isPresent = isThere(start.shown) || (field.isRequired && start.shown === undefined && !context.isChange)
  let fields: FieldView[] = []

  // A change has no way to say that a field is gone, but by `null`.
  const canGo = !field.isRequired && (field.isNullable || !context.isChange || start.value === undefined)

  const partsOf = (variant: number): FieldView[] =>
    (variants[variant] as readonly Field[]).map((member) => {
      // Of another kind of object nothing is left.
      const fixed = fixedValue(member)
      const before = variant === first ? propertyOf(start.value, member.name, fixed) : fixed
      return make(member, { value: before, shown: propertyOf(start.shown, member.name, fixed) }, context)
    })
  const choose = (variant: number) => {
    chosen = variant
    fields = partsOf(variant)
    render()
  }
  const set = (isNow: boolean) => {
    isPresent = isNow
    if (isNow && fields.length === 0) fields = partsOf(chosen)
    render()
    hasTyped(view)
    content.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  }
  function render(): void {
    const name = field.name || 'item'
    const parts = [
      variants.length > 1 && variantChoice(variants, chosen, choose),
      fields.filter((member) => !isFixed(member.read().field)).map((member) => member.view),
      canGo && button('Remove', () => set(false), { className: 'small', ariaLabel: `Remove ${name}` })
    ]
    const add = button('Add', () => set(true), { className: 'small', ariaLabel: `Add ${name}` })
    fill(content, isPresent ? parts : add)
  }
  if (isPresent) fields = partsOf(chosen)
  render()
  return {
    view,
    label,
    read: () => ({
      field,
      text: '',
      initial: '',
      value: chosen === first ? start.value : undefined,
      inside: isPresent ? fields.map((member) => member.read()) : undefined
    }),
    marks: (place) => [
      [place, { input: view, note }],
      ...(isPresent ? fields.flatMap((member) => member.marks(placeWithin(place, member.read().field.name))) : [])
    ]
  }
}

/** Which of several kinds of objects it is. `choose` is called with its number. */
export function variantChoice(
  variants: readonly (readonly Field[])[],
  chosen: number,
  choose: (variant: number) => void
): HTMLElement {
  const choice = select(
    variants.map((fields, index) => [String(index), toVariantLabel(fields)]),
    String(chosen),
    { id: freshId(), key: 'kind' }
  )
  choice.onchange = () => {
    choose(Number(choice.value))
    hasTyped(choice)
  }
  return labelled('Kind', choice)
}

/** Whether there is nothing to choose: it is sent without being shown. */
export const isFixed = ({ isRequired, choices }: Field): boolean => isRequired && choices.length === 1

/** The only allowed value of a field, if it has exactly one. */
export const fixedValue = ({ choices }: Field): unknown => (choices.length === 1 ? choices[0] : undefined)

/** The items of a list, which can be added, moved and removed. */
export function listFieldView(field: Field, start: Start, context: FieldContext, make: Make): FieldView {
  const { view, label, content, note } = frame(field)
  const item = field.item as Field
  // An item is sent whole, whatever has changed of it.
  const inList: FieldContext = { ...context, isChange: false }
  const [values, shown] = [asList(start.value), asList(start.shown)]
  let rows = shown.map((part, index) => make(item, { value: values[index], shown: part }, inList))

  const change = (next: FieldView[], focused: number) => {
    rows = next
    render()
    fill(note)
    hasTyped(view)
    const target = rows[Math.min(focused, rows.length - 1)]?.view ?? content
    target.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  }
  const move = (index: number, by: number) =>
    change(
      rows.map((row, at) => (at === index ? rows[index + by] : at === index + by ? rows[index] : row) as FieldView),
      index + by
    )
  const rowView = (row: FieldView, index: number): Content => {
    const name = `${field.name} ${index + 1}`
    row.label.textContent = name
    const small = (text: string, does: string, act: () => void, disabled = false) =>
      button(text, act, { className: 'small', ariaLabel: `${does} ${name}`, disabled })
    return element(
      'div',
      { className: 'row' },
      row.view,
      element(
        'div',
        { className: 'moves' },
        small('↑', 'Move up', () => move(index, -1), index === 0),
        small('↓', 'Move down', () => move(index, 1), index === rows.length - 1),
        small('×', 'Remove', () =>
          change(
            rows.filter((other) => other !== row),
            index
          )
        )
      )
    )
  }
  function render(): void {
    const add = () => change([...rows, make(item, { value: undefined, shown: undefined }, inList)], rows.length)
    fill(content, rows.map(rowView), button('Add', add, { className: 'small', ariaLabel: `Add to ${field.name}` }))
  }
  render()
  return {
    view,
    label,
    read: () => ({ field, text: '', initial: '', value: start.value, inside: rows.map((row) => row.read()) }),
    marks: (place) => [
      [place, { input: view, note }],
      ...rows.flatMap((row, index) => row.marks(placeWithin(place, index)))
    ]
  }
}
