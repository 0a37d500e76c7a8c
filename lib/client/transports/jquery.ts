import type { ClientResponse, Transport } from '../message.js'
import { abortable } from './abortable.js'

declare const XMLHttpRequest: new () => {
  responseType: string
  readonly status: number
  readonly response: unknown
  getResponseHeader(name: string): string | null
}

interface JQueryRequest {
  abort(): unknown
  always(listener: (_: unknown, status: string) => void): JQueryRequest
}

/** What the adapter needs of jQuery. */
export interface JQuery {
  ajax(settings: object): JQueryRequest
}

export const jqueryTransport: Transport<JQuery> = (jquery, { url, method, headers, body, options, signal }) =>
  abortable<ClientResponse>(signal, (resolve, reject) => {
    // jQuery shows no bytes, and no body of an error that is not text: its XMLHttpRequest does.
    const xhr = new XMLHttpRequest()
    xhr.responseType = 'arraybuffer'
    const settings = {
      ...options,
      // `$.ajaxSetup` may say otherwise.
      ...{ url, method, headers, data: body ?? '', cache: true },
      processData: false,
      contentType: false,
      dataType: 'binary',
      xhr: () => xhr
    }
    const sent = jquery.ajax(settings).always((_, status) => {
      if (xhr.status === 0) reject(new Error(`The request failed: ${status}`))
      else
        resolve({
          status: xhr.status,
          type: xhr.getResponseHeader('content-type'),
          body: xhr.response as ArrayBuffer
        })
    })
    return () => sent.abort()
  })
