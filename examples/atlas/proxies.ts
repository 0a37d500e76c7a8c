import { BlockList, isIPv6 } from 'node:net'

// The names that Fastify's option `trustProxy` knows.
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * Makes the function that tells whether an address is that of a proxy. Fastify believes a proxy who the client is, and anybody the id of a
 * request: who reaches the server past the proxy must not write what stands in its log.
 * @param list the addresses, as Fastify's option `trustProxy` has them: `127.0.0.1,10.0.0.0/8`
 * @throws when one is none
 */
export function createProxies(list: string): (address: string | undefined) => boolean {
  const proxies = new BlockList()
  const entries = list.split(',').map((entry) => entry.trim())
  for (const entry of entries.flatMap((entry) => named[entry] ?? [entry])) {
    const [address = '', bits] = entry.split('/')
    if (bits === undefined) proxies.addAddress(address, family(address))
    else proxies.addSubnet(address, bitsOf(bits), family(address))
  }
  return (address) => address !== undefined && proxies.check(address, family(address))
}

/** Of `8`, and of a mask: `255.0.0.0`. */
function bitsOf(text: string): number {
  if (!text.includes('.')) return Number(text)
  const bits = text.split('.').map((part) => Number(part).toString(2).padStart(8, '0'))
  return bits.join('').replace(/0*$/, '').length
}
