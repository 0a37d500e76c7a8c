/** Content of an element. Strings become text nodes, never HTML. */
export type Content = Node | string | undefined | false | readonly Content[]

type Properties<E> = { readonly [K in keyof E]?: E[K] | undefined } & {
  /** Finds the element again after its view is made anew. */
  readonly key?: string
}

/**
 * Makes an element of properties and what it holds. There is no other way to make one on this page.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  { key, ...properties }: Properties<HTMLElementTagNameMap[Name]> = {},
  ...content: Content[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name)
  const settings = Object.entries(properties).filter(([, value]) => value !== undefined)
  Object.assign(created, Object.fromEntries(settings))
  if (key !== undefined) created.dataset.key = key
  fill(created, ...content)
  return created
}

/** Replaces what an element holds. */
export function fill(parent: Element, ...content: Content[]): void {
  const flat = (content as unknown[]).flat(5) as (Node | string | undefined | false)[]
  parent.replaceChildren(...flat.filter((child) => child !== undefined && child !== false))
}

export const byId = (id: string) => document.getElementById(id) as HTMLElement

export const byKey = (key: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('[data-key]')].find((candidate) => candidate.dataset.key === key)

/** Gives the focus back to what had it before its view was made anew. */
export function keepFocus(render: () => void): void {
  const { key } = (document.activeElement as HTMLElement | null)?.dataset ?? {}
  render()
  if (key === undefined || (document.activeElement as HTMLElement | null)?.dataset.key === key) return
  const match = byKey(key)
  match?.focus()
  if (match instanceof HTMLInputElement && match.selectionEnd !== null)
    match.setSelectionRange(match.value.length, match.value.length)
}

/** A link within the page. */
export const link = (href: string, className: string, ...content: Content[]) =>
  element('a', { href, className }, ...content)

export const button = (label: string, onclick: () => unknown, properties: Properties<HTMLButtonElement> = {}) =>
  element('button', { type: 'button', onclick: () => void onclick(), ...properties }, label)

/** A field with its label before it. */
export const labelled = (label: string, input: HTMLElement, ...more: Content[]) =>
  element('div', { className: 'field' }, element('label', { htmlFor: input.id }, label), input, ...more)

/** Tells the form around an element that somebody has typed in it. */
export const hasTyped = (view: HTMLElement): boolean => view.dispatchEvent(new Event('input', { bubbles: true }))

let elementCount = 0
/** An id that no other element has. */
export const freshId = () => `x${elementCount++}`

export function select(
  options: readonly (readonly [value: string, label: string])[],
  value: string,
  properties: Properties<HTMLSelectElement> = {}
): HTMLSelectElement {
  const list = element('select', properties)
  list.append(...options.map(([value, label]) => element('option', { value }, label)))
  list.value = value
  return list
}
