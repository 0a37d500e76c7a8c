/** What an element holds. A text is a text, whatever it holds. */
export type Content = Node | string | false | undefined

type Properties<E> = { readonly [K in keyof E]?: E[K] | undefined }

/** Makes an element of its properties and what it holds. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties<HTMLElementTagNameMap[Name]> = {},
  ...content: Content[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name)
  const defined = Object.entries(properties).filter(([, value]) => value !== undefined)
  Object.assign(node, Object.fromEntries(defined))
  fill(node, ...content)
  return node
}

/** Replaces what an element holds. */
export function fill(parent: Element, ...content: Content[]): void {
  parent.replaceChildren(...content.filter((item) => item !== undefined && item !== false))
}

export const byId = <E extends HTMLElement>(id: string) => document.getElementById(id) as E

export const button = (label: string, onclick: () => unknown, className = '') =>
  element('button', { type: 'button', onclick: () => void onclick(), className }, label)

/** A field of a form, with its label. */
export const field = (label: string, input: HTMLElement, hint?: string) =>
  element('label', { className: 'field' }, element('span', {}, label), input, hint && element('small', {}, hint))

/** A link that opens a country. */
export function countryLink(code: string, href: string, text: string): HTMLAnchorElement {
  const link = element('a', { href }, text)
  link.dataset.country = code
  return link
}
