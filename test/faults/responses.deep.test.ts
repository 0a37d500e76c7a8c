import t, { type Test } from 'tap'
import type { Expected } from './compare.js'
import { type Row, runRows } from './runner.js'
import { failures, hopByHop, takenBack } from './server/responses.js'
import { createUpstream } from './upstream.js'

const path = (name: string) => encodeURIComponent(name.replace(/[ ,]+/g, '-'))
const { connection: _, ...others } = hopByHop
const ofConnection = [...Object.keys(others), 'transfer-encoding']

/** By GET and by HEAD: its status, body and end-to-end headers, none of the connection's. */
const both = (
  folder: string,
  name: string,
  status: Expected['status'],
  body: string | undefined,
  isOver2: boolean,
  isKept = true
): Row[] =>
  ['GET', 'HEAD'].map((verb) => {
    // Over HTTP/1.1 a body without a length comes in chunks.
    const absent = ofConnection.filter((header) => isOver2 || verb === 'HEAD' || header !== 'transfer-encoding')
    return {
      row: `${verb} of a \`Response\`, ${folder}: ${name}`,
      request: { verb, target: `/${folder}/${encodeURIComponent(name)}` },
      expected: {
        status,
        ...(verb === 'GET' && body !== undefined && { body }),
        headers: {
          ...Object.fromEntries(absent.map((header) => [header, undefined])),
          ...(isKept && { 'x-end': 'kept' }),
          connection: isOver2 ? undefined : 'close'
        }
      }
    }
  })

const rows = (isOver2: boolean): Row[] => [
  ...both('responses', 'plain', 200, 'text', isOver2, false),
  ...['hop-by-hop', 'transfer-encoding', 'a length'].flatMap((name) => both('responses', name, 200, 'text', isOver2)),
  ...['no body', 'an empty body'].flatMap((name) => both('responses', name, [200, 204], '', isOver2)),
  ...both('responses', '204', 204, '', isOver2, false),
  ...both('responses', '302', 302, '', isOver2, false),
  ...both('responses', 'json', 200, '{"id":1}', isOver2, false),
  ...['plain', 'gzip', 'chunks'].flatMap((name) => both('fetched', name, 200, 'text', isOver2)),
  ...both('fetched', 'large', 200, 'x'.repeat(4_000_000), isOver2),
  ...both('fetched', 'empty', [200, 204], '', isOver2),
  ...['204', '205', '304'].flatMap((name) => both('fetched', name, Number(name), '', isOver2)),
  {
    row: 'a fetched `Response` says nothing of the encoding that was undone',
    request: { target: '/fetched/gzip' },
    expected: { status: 200, headers: { 'content-encoding': undefined, 'content-length': undefined } }
  },
  {
    row: 'a fetched `Response` that breaks off',
    request: { target: '/fetched/broken' },
    expected: { status: [200, 500], isCut: true }
  },
  {
    row: 'a fetched `Response` that the client leaves',
    request: { target: '/fetched/large', leaves: 'midway' },
    expected: { status: 200 }
  },
  ...['error', 'failing', 'consumed', 'locked'].flatMap((name): Row[] => [
    {
      row: `a \`Response\` that can not be sent: ${name}`,
      request: { target: `/traced/${name}` },
      expected: failed([500])
    },
    {
      row: `HEAD of a \`Response\` that can not be sent: ${name}`,
      request: { verb: 'HEAD', target: `/traced/${name}` },
      expected: { status: [200, 500], headers: { 'x-before': 'kept' } }
    }
  ]),
  ...Object.keys(failures).flatMap((name): Row[] => [
    {
      row: `an error after a result: ${name}`,
      request: { target: `/failures/${path(name)}/1` },
      expected: failed([409])
    },
    {
      row: `an error after a result, as HTML: ${name}`,
      request: { target: `/failures/${path(name)}/1`, headers: { Accept: 'text/html' } },
      expected: failed([409])
    }
  ]),
  ...Object.keys(takenBack).map(
    (name): Row => ({
      row: `an error that is taken back: ${name}`,
      request: { target: `/taken-back/${path(name)}/1` },
      expected: { status: 200, body: { replaced: true } }
    })
  )
]

function failed(status: number[]): Expected {
  return {
    status,
    headers: { 'x-before': 'kept', 'cache-control': undefined, location: undefined },
    absent: /owned|gzip/
  }
}

for (const isOver2 of [false, true])
  t.test(`\`Response\` results, by HTTP/${isOver2 ? 2 : 1}`, async (t) => {
    const upstream = await createUpstream(t as Test)
    await runRows(t as Test, rows(isOver2), { room: 'responses', upstream, ...(isOver2 && { http2: true }) })
  })
