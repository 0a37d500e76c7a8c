import { type Choice, type RecordSearch, toMoreText } from '../model/references.js'
import type { Field } from '../model/schema.js'
import { element, fill, freshId, hasTyped } from './element.js'

// Nobody reads the records of a text that is still being typed.
const typingPause = 150

/**
 * The id of a related record: a text box with a list of the records that fit what is typed, and the
 * name of the record beside it. The keys follow the ARIA combobox pattern.
 */
export function referenceControl(
  field: Field,
  text: string,
  properties: { readonly id: string; readonly key: string },
  search: RecordSearch
) {
  const list = element('ul', { id: freshId(), role: 'listbox', ariaLabel: `Records of /${field.refersTo}` })
  const note = element('p', { className: 'dim', role: 'status' })
  const popup = element('div', { className: 'popup', hidden: true }, list, note)
  const name = element('span', { className: 'dim name' })
  const input = element('input', {
    ...properties,
    value: text,
    role: 'combobox',
    ariaExpanded: 'false',
    ariaAutoComplete: 'list',
    autocomplete: 'off',
    spellcheck: false
  })
  input.setAttribute('aria-controls', list.id)
  /** The labels of the ids that are known. */
  const labels = new Map<string, string>()
  let choices: readonly Choice[] = []
  let active = -1
  let count = 0
  let timer = 0

  const isOpen = () => !popup.hidden
  function show(isShown: boolean): void {
    count++
    clearTimeout(timer)
    popup.hidden = !isShown
    input.ariaExpanded = String(isShown)
    activate(-1)
  }
  function activate(index: number): void {
    active = index
    const options = [...list.children]
    for (const [at, option] of options.entries()) option.ariaSelected = String(at === index)
    options[index]?.scrollIntoView({ block: 'nearest' })
    if (options[index] === undefined) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', options[index].id)
  }
  function choose({ id }: Choice): void {
    input.value = id
    show(false)
    showName()
    hasTyped(input)
  }
  const optionView = (choice: Choice) =>
    element(
      'li',
      { id: freshId(), role: 'option', ariaSelected: 'false', onclick: () => choose(choice) },
      choice.label,
      element('span', { className: 'dim' }, choice.id)
    )
  /** Shows the records that fit; all of them if the text is the id of one. */
  async function find(): Promise<void> {
    show(true)
    const mine = count
    fill(note, 'Searching…')
    const typed = labels.has(input.value) ? '' : input.value
    const found = await search.find(typed).catch(() => undefined)
    if (mine !== count) return
    choices = found?.choices ?? []
    for (const { id, label } of choices) labels.set(id, label)
    fill(list, choices.map(optionView))
    fill(note, found === undefined ? 'The records could not be read.' : toMoreText(found))
    activate(-1)
  }
  async function showName(): Promise<void> {
    const id = input.value
    fill(name, labels.get(id))
    if (id === '' || labels.has(id) || !isNumber(id)) return
    const label = await search.labelOf(id)
    if (label !== undefined) labels.set(id, label)
    if (input.value === id) fill(name, label ?? 'There is no such record.')
  }
  const isNumber = (id: string) => field.kind !== 'number' || /^-?\d+$/.test(id)
  function read() {
    const { value } = input
    // A name instead of an id.
    const isName = !labels.has(value) && choices.length > 0 && field.kind !== 'number'
    const isUnknown = value !== '' && (!isNumber(value) || isName)
    return { text: value, ...(isUnknown && { problem: 'Choose a record from the list, or type its id.' }) }
  }

  popup.addEventListener('mousedown', (event) => event.preventDefault())
  input.addEventListener('click', () => void (isOpen() || find()))
  input.addEventListener('input', (event) => {
    // A choice sends this event, too.
    if (!(event instanceof InputEvent)) return
    fill(name)
    // They belong to another text.
    choices = []
    clearTimeout(timer)
    timer = setTimeout(find, typingPause)
  })
  input.addEventListener('blur', () => {
    show(false)
    const [match, ...others] = choices.filter(({ label }) => label.toLowerCase() === input.value.toLowerCase())
    // The name of one record is that record, unless it is an id.
    if (match !== undefined && others.length === 0 && read().problem !== undefined) choose(match)
    else void showName()
  })
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const choice = choices[active]
    if (step !== undefined && (!isOpen() || choices.length === 0)) void find()
    else if (step !== undefined)
      activate((Math.max(active, step === 1 ? -1 : 0) + step + choices.length) % choices.length)
    else if (event.key === 'Enter' && isOpen() && choice !== undefined) choose(choice)
    else if (event.key === 'Escape' && isOpen()) show(false)
    else return
    event.preventDefault()
  })
  void showName()
  return {
    input,
    view: element('div', { className: 'combobox' }, input, name, popup),
    read,
    write: (typed: string) => {
      if (input.value === typed) return
      input.value = typed
      void showName()
    }
  }
}
