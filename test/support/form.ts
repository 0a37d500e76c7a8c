type Value = string | File

/** A form as `inject` sends it. A field with a list is sent several times. */
export async function toForm(fields: Readonly<Record<string, Value | readonly Value[]>>) {
  const form = new FormData()
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) {
      if (typeof value === 'string') form.append(name, value)
      else form.append(name, value)
    }
  const response = new Response(form)
  const type = String(response.headers.get('content-type'))
  return { headers: { 'content-type': type }, payload: Buffer.from(await response.arrayBuffer()) }
}

/** A form as text, part by part: the headers of each and its content. */
export function toParts(...parts: (readonly [disposition: string, content: string, type?: string])[]) {
  const texts = parts.map(
    ([disposition, content, type]) =>
      `--x\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n${content}\r\n`
  )
  return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, payload: `${texts.join('')}--x--\r\n` }
}
