import { toSign } from '../model/labels.js'
import { toReadableMoment } from '../model/moments.js'
import { listOfService, recordAt, toHash } from '../model/place.js'
import { idOfRecord } from '../model/result.js'
import type { Field } from '../model/schema.js'
import { type Content, element, fill, link } from './element.js'
import type { Explorer } from './explorer.js'
import { labelOfRecord } from './references.js'

/**
 * A value to read, in a table and in a record: dates as people write them, a sign for yes and no, a
 * link to a web page, or to a record of another service with its name. Others are texts.
 */
export function valueView(
  explorer: Explorer,
  value: unknown,
  field: Field | undefined,
  toText: (value: unknown) => Content
): Content {
  if (typeof value === 'boolean')
    return element('span', { className: value ? 'yes' : 'dim', role: 'img', ariaLabel: String(value) }, toSign(value))
  const moment = toReadableMoment(value, field?.format)
  const text = moment === undefined ? toText(value) : element('span', { title: String(value) }, moment)
  if (typeof value === 'string' && /^https?:\/\/\S+$/i.test(value))
    return element('a', { href: value, target: '_blank', rel: 'noreferrer' }, text)
  const target = explorer.session.services.get(field?.refersTo ?? '')
  const id = idOfRecord({ id: value }, 'id')
  if (target === undefined || id === undefined || !target.operations.has('get') || target.placeholders.length > 0)
    return text
  const anchor = link(toHash(recordAt(listOfService(target.path), id)), '', text)
  void labelOfRecord(explorer, target.path, id).then(
    (label) => label !== '' && fill(anchor, label, element('span', { className: 'dim' }, ' ', text))
  )
  return anchor
}
