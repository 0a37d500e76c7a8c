import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const length = (size: number) => (size < 128 ? [size] : [0x82, size >> 8, size & 255])
const der = (tag: number, ...parts: Uint8Array[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...length(body.length)]), body])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const date = (value: Date) => der(0x17, Buffer.from(`${value.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
const commonName = Buffer.from([0x06, 3, 0x55, 4, 3])
const ecdsaWithSHA256 = sequence(Buffer.from([0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]))

/** A key for `localhost` and a certificate that it has signed itself, valid for a day. */
export function createCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('localhost')))))
  const now = Date.now()
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSHA256,
    name,
    sequence(date(new Date(now - 3_600_000)), date(new Date(now + 86_400_000))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    // subjectAltName: DNS localhost
    der(
      0xa3,
      sequence(
        sequence(Buffer.from([0x06, 3, 0x55, 0x1d, 17]), der(0x04, sequence(der(0x82, Buffer.from('localhost')))))
      )
    )
  )
  const signature = sign('sha256', content, privateKey)
  const certificate = sequence(content, ecdsaWithSHA256, der(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  }
}
