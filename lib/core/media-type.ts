/** Whether a media type is one of JSON's. */
export const isJSON = (type: string) => /[/+]json\b/i.test(type)

/** Whether a content type is that of a form with files. */
export const isMultipart = (type: string) => /^multipart\/form-data\s*(;|$)/i.test(type)
