import type { Library } from '../library.js'
import type { ClientResponse } from '../message.js'
import { abortable } from './abortable.js'

declare const XMLHttpRequest: new () => {
  responseType: string
  readonly status: number
  readonly response: ArrayBuffer
}

interface JQueryRequest {
  getResponseHeader(name: string): string | null
  abort(): unknown
  always(listener: (_: unknown, status: string) => void): JQueryRequest
}

/** The part of jQuery that the adapter uses. */
export interface JQuery {
  ajax(settings: object): JQueryRequest
}

export const jqueryLibrary: Library<'jquery', JQuery> = {
  name: 'jquery',
  isXHR: true,
  send: (jquery, { url, method, headers, body, options, signal }) =>
    abortable<ClientResponse>(signal, (resolve, reject) => {
      // jQuery gives no bytes, and no body of an error that is not text. Its XMLHttpRequest has
      // them.
      const xhr = new XMLHttpRequest()
      xhr.responseType = 'arraybuffer'
      const settings = {
        ...options,
        // The options are set even to their defaults, which `$.ajaxSetup` may have changed.
        ...{ url, method, headers, data: body ?? '', cache: true },
        processData: false,
        contentType: false,
        dataType: 'binary',
        xhr: () => xhr
      }
      const sent = jquery.ajax(settings).always((_, status) => {
        if (!xhr.status) reject(new Error(status))
        else
          resolve({ status: xhr.status, headers: { get: (name) => sent.getResponseHeader(name) }, body: xhr.response })
      })
      return () => sent.abort()
    })
}
