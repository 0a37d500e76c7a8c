import { toReadableMoment } from '../model/moments.js'
import { listOfService, recordAt, toHash } from '../model/place.js'
import { idOfRecord } from '../model/result.js'
import type { Field } from '../model/schema.js'
import { type Content, element, link } from './element.js'
import type { Explorer } from './explorer.js'

/**
 * A value to read, in a table and in a record: dates as people write them, a sign for yes and no, a
 * link to a record of another service. Others are texts.
 */
export function valueView(
  { session }: Explorer,
  value: unknown,
  field: Field | undefined,
  toText: (value: unknown) => Content
): Content {
  if (typeof value === 'boolean')
    return element(
      'span',
      { className: value ? 'yes' : 'dim', role: 'img', ariaLabel: String(value) },
      value ? '✓' : '✗'
    )
  const moment = toReadableMoment(value, field?.format)
  const text = moment === undefined ? toText(value) : element('span', { title: String(value) }, moment)
  const target = session.services.get(field?.refersTo ?? '')
  const id = idOfRecord({ id: value }, 'id')
  if (target === undefined || id === undefined || !target.operations.has('get') || target.placeholders.length > 0)
    return text
  return link(toHash(recordAt(listOfService(target.path), id)), '', text)
}
