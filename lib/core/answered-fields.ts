const fieldsByContext = new WeakMap<object, readonly string[]>()

/** Notes that the answer of a call has some fields of its records, and no others. */
export const noteAnsweredFields = (context: object, fields: readonly string[]): void =>
  void fieldsByContext.set(context, fields)

/** The fields that the records of an answer may have, where a hook has said so. */
export const answeredFieldsOf = (context: object): readonly string[] | undefined => fieldsByContext.get(context)
