import type { Library } from '../library.js'
import type { ClientResponse } from '../message.js'

/** The part of axios that the adapter uses, or of an instance of it. */
export interface Axios {
  request(config: object): Promise<Omit<ClientResponse, 'body'> & { data: ClientResponse['body'] }>
}

const unchanged = [(data: unknown) => data]

export const axiosLibrary: Library<'axios', Axios> = {
  name: 'axios',
  streams: ['pipe'],
  async send(axios, { url, method, headers, body, options, signal }) {
    const response = await axios.request({
      ...options,
      ...{ url, method, headers, data: body, signal },
      responseType: 'arraybuffer',
      validateStatus: () => true,
      transformResponse: unchanged,
      ...(typeof body === 'string' && { transformRequest: unchanged })
    })
    return { ...response, body: response.data }
  }
}
