import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import qs from 'qs'
import { Messages } from '../messages.js'

/** The least that answers: `node:http` and `qs`. */
export async function start(): Promise<Server> {
  const messages = new Messages()
  const send = (response: ServerResponse, status: number, value: unknown) => {
    const text = JSON.stringify(value)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }
    response.writeHead(status, headers).end(text)
  }
  const create = (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', async () => send(response, 201, await messages.create(JSON.parse(text))))
  }
  const server = createServer(async (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    if (request.method === 'POST') create(request, response)
    else if (path === '/messages') send(response, 200, await messages.find({ query: qs.parse(query) }))
    else send(response, 200, await messages.get(path.slice('/messages/'.length)))
  })
  return server.listen(0, '127.0.0.1')
}
