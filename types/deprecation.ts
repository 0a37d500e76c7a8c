/** When the methods of a service are deprecated and removed. */
export interface Deprecation {
  /** Since when, or from when on. Default: a day in the past, 1970-01-01. */
  readonly at?: string | Date
  /** When they are removed. */
  readonly sunset?: string | Date
  /** The address of a page that says what to use instead. */
  readonly link?: string
  /** The methods that it is about. Default: all of the service. */
  readonly methods?: readonly string[]
}
