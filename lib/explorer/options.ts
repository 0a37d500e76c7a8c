import { checkOptions, inspectText, kinds, type OptionTable, registerOptions } from '../core/options.js'

/** Options of the explorer. */
export interface ExplorerOptions {
  /** The path of the page. Default `'/explorer'`. */
  prefix?: string
  /**
   * The address of an OpenAPI document, another one than that of `app.swagger()`: `'/docs/json'`.
   * Calls go to the server that it comes from.
   */
  document?: string
  /** The title of the page. Default: that of the document. */
  title?: string
  /**
   * The address of the application, which the mark of the page leads to: `'/'`. Default: nowhere.
   */
  home?: string
}

const explorerOptions: OptionTable<ExplorerOptions> = {
  prefix: kinds.free,
  document: kinds.text,
  title: kinds.text,
  home: kinds.text
}

/** @throws when an option is not known, or can't be used */
export function checkExplorerOptions(options: ExplorerOptions): void {
  checkOptions('the explorer', { ...explorerOptions, ...registerOptions }, { ...options })
  if (options.document !== undefined) originOf(options.document)
  // A link may run what it leads to: `javascript:`.
  if (options.home !== undefined && !isHTTP(options.home))
    throw new TypeError(
      `The option \`home\` of the explorer must be the address of a page, got ${inspectText(options.home)}`
    )
}

const here = 'http://here.invalid'
const isHTTP = (address: string) => URL.canParse(address, here) && /^https?:$/.test(new URL(address, here).protocol)

/**
 * The origin of an address: `undefined` where it is that of the page.
 * @throws when it can't be one of a document
 */
export function originOf(address: string): string | undefined {
  if (!isHTTP(address))
    throw new TypeError(
      `The option \`document\` of the explorer must be the address of a document, got ${inspectText(address)}`
    )
  const url = new URL(address, here)
  return url.origin === here ? undefined : url.origin
}
