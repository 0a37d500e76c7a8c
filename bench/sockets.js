// What loads the servers of the benchmarks over bare sockets, which cost less than a client, and how rounds are put in another order.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Answer } from '../dist/bench/answer.js'

/** Some tell that they listen before they do. */
export async function open(port, tries = 40) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.setEncoding('latin1')
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    if (tries === 0) throw error
    await setTimeout(50)
    return open(port, tries - 1)
  }
}

/** Sends so many requests, each connection one after the other. Returns how long each took, in ms, and the last body. */
export async function send(sockets, { line, status, body }, count) {
  const headers = ['host: localhost', 'accept: application/json']
  if (body !== undefined) headers.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  const message = `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body ?? ''}`
  const times = []
  let left = count
  let text = ''
  const drive = (socket) =>
    new Promise((resolve, reject) => {
      let answer = new Answer()
      let begin = 0
      const next = () => {
        if (left-- <= 0) return resolve()
        begin = performance.now()
        socket.write(message)
      }
      const onClose = () => reject(new Error(`${line}: the connection was closed`))
      socket.removeAllListeners().on('error', reject).on('close', onClose)
      socket.on('data', (piece) => {
        if (!answer.add(piece)) return
        times.push(performance.now() - begin)
        if (!answer.text.startsWith(`HTTP/1.1 ${status} `)) reject(new Error(`${line}: ${answer.text}`))
        text = answer.body
        answer = new Answer()
        next()
      })
      next()
    })
  await Promise.all(sockets.map(drive))
  return { times, text }
}

export const quantile = (numbers, part) =>
  numbers.toSorted((first, second) => first - second)[Math.floor(numbers.length * part)]

export function shuffle(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[list[i], list[j]] = [list[j], list[i]]
  }
  return list
}
