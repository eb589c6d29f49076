import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

/**
 * Where other nodes reach this one, unless they are told: at the address it listens on, or where it listens on all, at the
 * first that is not the machine's own.
 */
export function guessAddress(host: string, port: number, interfaces: Interfaces = networkInterfaces()): string {
  const isAll = host === '0.0.0.0' || host === '::'
  const outer = Object.values(interfaces)
    .flatMap((all) => all ?? [])
    .filter(({ internal, family, address }) => !internal && (family === 'IPv4' || !address.startsWith('fe80')))
    .sort((a, b) => a.family.localeCompare(b.family))
  const name = isAll ? (outer[0]?.address ?? '127.0.0.1') : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Whether only processes of the same machine can mean this node by it. */
export function isLocal(address: string): boolean {
  return /^(localhost|127\.|\[::1\])/.test(new URL(address).host)
}
