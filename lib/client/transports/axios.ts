import type { ClientResponse, Transport } from '../message.js'

/** What the adapter needs of axios, or of an instance of it. */
export interface Axios {
  request(config: object): Promise<{ status: number; headers: object; data: unknown }>
}

const asItIs = [(data: unknown) => data]

export const axiosTransport: Transport<Axios> = async (axios, { url, method, headers, body, options, signal }) => {
  const response = await axios.request({
    ...options,
    ...{ url, method, headers, data: body, signal },
    responseType: 'arraybuffer',
    validateStatus: () => true,
    transformResponse: asItIs,
    ...(typeof body === 'string' && { transformRequest: asItIs })
  })
  const type = (response.headers as Record<string, string>)['content-type']
  return { status: response.status, type, body: response.data as ClientResponse['body'] }
}
