import type { Json } from '../model/json.js'
import { listOfService, type Place } from '../model/place.js'
import { type Choices, matching, type RecordSearch, toRecordLabel, toSearch } from '../model/references.js'
import { toRows } from '../model/result.js'
import { callOf, type Explorer } from './explorer.js'

const mostChoices = 10
const recordsPerRequest = 100
// A service without an operator for texts is read up to here.
const mostRead = 2000

type Labels = ReadonlyMap<string, string>
const batches = new Map<string, { readonly ids: Set<string>; readonly labels: Promise<Labels> }>()

/** Returns the label of a record; `''` if it has none. One request reads those of a whole table. */
export async function labelOfRecord(explorer: Explorer, path: string, id: string): Promise<string> {
  const ids = new Set<string>()
  // By then, all cells have asked.
  const read = () => {
    batches.delete(path)
    return readLabels(explorer, path, [...ids]).catch((): Labels => new Map())
  }
  const batch = batches.get(path) ?? { ids, labels: Promise.resolve().then(read) }
  batches.set(path, batch)
  batch.ids.add(id)
  return (await batch.labels).get(id) ?? ''
}

async function readLabels(explorer: Explorer, path: string, ids: readonly string[]): Promise<Labels> {
  const { session } = explorer
  const service = session.services.get(path)
  const operation = service?.operations.get('find')
  const idField = operation?.query.find(({ name }) => name === service?.idField)
  if (service === undefined || operation === undefined || session.asksForLogin(operation)) return new Map()
  if (!idField?.operators.includes('$in')) return new Map()
  const filters = [{ field: idField.name, operator: '$in', text: JSON.stringify(ids) }]
  const place = { ...listOfService(path), filters, limit: ids.length }
  const rows = toRows(await session.send(callOf({ service, operation }, place)))
  return new Map(matching(rows?.records ?? [], idField.name, '').map(({ id, label }) => [id, label]))
}

/** Creates the search of a service; `undefined` if its records can't be listed. */
export function searchOf(explorer: Explorer, path: string): RecordSearch | undefined {
  const { session } = explorer
  const service = session.services.get(path)
  const operation = service?.operations.get('find')
  if (service === undefined || operation === undefined || service.placeholders.length > 0) return undefined
  const ask = async (part: Partial<Place>) => {
    const place = { ...listOfService(path), ...part }
    const rows = toRows(await session.send(callOf({ service, operation }, place)))
    return rows ?? { records: [], total: 0 }
  }
  const first = (choices: Choices['choices'], total: number | undefined): Choices => {
    const shown = choices.slice(0, mostChoices)
    return { choices: shown, more: total === undefined ? undefined : total - shown.length }
  }
  const read: Json[] = []
  let total: number | undefined
  let isWhole = false

  /** Reads more pages until enough records fit. */
  async function findInPages(text: string): Promise<Choices> {
    for (;;) {
      const choices = matching(read, service?.idField ?? '', text)
      if (isWhole || choices.length > mostChoices || read.length >= mostRead)
        return first(choices, isWhole ? choices.length : text === '' ? total : undefined)
      const rows = await ask({ limit: recordsPerRequest, skip: read.length })
      read.push(...rows.records)
      total = rows.total
      isWhole = rows.records.length === 0 || total === undefined || read.length >= total
    }
  }

  return {
    async find(text) {
      const search = text === '' ? undefined : toSearch(operation, text)
      if (search === undefined) return findInPages(text)
      const { records, total } = await ask({ limit: mostChoices, filters: [search] })
      return first(matching(records, service.idField, ''), total)
    },
    async labelOf(id) {
      const get = service.operations.get('get')
      if (get === undefined) return ''
      const place = { ...listOfService(path), id }
      return session
        .send(callOf({ service, operation: get }, place))
        .then(toRecordLabel, (error) => (error.code === 404 ? undefined : ''))
    }
  }
}
