/** What an element holds. A text is a text, whatever it holds. */
export type Content = Node | string | false | undefined

type Properties<E> = { readonly [K in keyof E]?: E[K] | undefined }

/** Makes an element of its properties and what it holds. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties<HTMLElementTagNameMap[Name]> = {},
  ...content: Content[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  const given = Object.entries(properties).filter(([, value]) => value !== undefined)
  Object.assign(made, Object.fromEntries(given))
  fill(made, ...content)
  return made
}

/** Replaces what an element holds. */
export function fill(parent: Element, ...content: Content[]): void {
  parent.replaceChildren(...content.filter((one) => one !== undefined && one !== false))
}

export const byId = <E extends HTMLElement>(id: string) => document.getElementById(id) as E

export const button = (label: string, onclick: () => unknown, className = '') =>
  element('button', { type: 'button', onclick: () => void onclick(), className }, label)

/** A field of a form, with its label. */
export const field = (label: string, input: HTMLElement, hint?: string) =>
  element('label', { className: 'field' }, element('span', {}, label), input, hint && element('small', {}, hint))

/** A link that opens a country. */
export function countryLink(code: string, href: string, text: string): HTMLAnchorElement {
  const made = element('a', { href }, text)
  made.dataset.country = code
  return made
}
