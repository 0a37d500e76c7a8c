import { listOfService } from '../model/place.js'
import { idOfRecord, toRecordLabel, toRows } from '../model/result.js'
import { callOf, type Explorer } from './explorer.js'
import type { FieldContext } from './field-parts.js'

/** The records of services, to choose from: the first ones, as the service gives them. */
export const choicesOf =
  (explorer: Explorer): NonNullable<FieldContext['records']> =>
  async (path) => {
    const service = explorer.session.services.get(path)
    const operation = service?.operations.get('find')
    if (service === undefined || operation === undefined) return []
    const place = listOfService(path)
    const result = await explorer.session
      .send(callOf({ explorer, service, operation, place }, place))
      .catch(() => undefined)
    return (toRows(result)?.records ?? []).flatMap((record) => {
      const id = idOfRecord(record, service.idField)
      return id === undefined ? [] : [[id, toRecordLabel(record)] as const]
    })
  }
