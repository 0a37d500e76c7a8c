import type { ClientResponse, Transport } from '../message.js'
import { abortable } from './abortable.js'

declare const XMLHttpRequest: new () => {
  readonly status: number
  readonly response: unknown
  getResponseHeader(name: string): string | null
}

/** What the adapter needs of jQuery. */
export interface JQuery {
  ajax(settings: object): { abort(): unknown }
}

export const jqueryTransport: Transport<JQuery> = (jquery, { url, method, headers, body, options, signal }) =>
  abortable<ClientResponse>(signal, (resolve, reject) => {
    // jQuery shows no bytes, and no body of an error that is not text: its XMLHttpRequest does.
    const xhr = new XMLHttpRequest()
    const sent = jquery.ajax({
      ...options,
      ...{ url, method, headers, data: body },
      processData: false,
      contentType: false,
      dataType: 'binary',
      xhr: () => xhr,
      xhrFields: { ...(options.xhrFields as object), responseType: 'arraybuffer' },
      complete(_: unknown, status: string) {
        if (xhr.status === 0) reject(new Error(`The request failed: ${status}`))
        else
          resolve({
            status: xhr.status,
            type: xhr.getResponseHeader('content-type') ?? '',
            body: xhr.response as ArrayBuffer
          })
      }
    })
    return () => sent.abort()
  })
