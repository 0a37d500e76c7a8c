import { HiddenProperty } from './hidden-property.js'

const fieldsOfContext = new HiddenProperty<readonly string[]>('answered fields')

/** Notes that the answer of a call has some fields of its records, and no others. */
export const noteAnsweredFields = (context: object, fields: readonly string[]): void =>
  fieldsOfContext.set(context, fields)

/** The fields that the records of an answer may have, where a hook has said so. */
export const answeredFieldsOf = (context: object): readonly string[] | undefined => fieldsOfContext.get(context)
