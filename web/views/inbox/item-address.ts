import { paths } from '../../app/paths.ts'

/** The item at an address: `ask:<id>`, `alert:<id>`, or none. */
export function keyAt(pathname: string): string | null {
  const [, kind, id] = /^\/(ask|alert)s\/([^/]+)$/.exec(pathname) ?? []
  return kind === undefined || id === undefined ? null : `${kind}:${decodeURIComponent(id)}`
}

export function addressOf(key: string): { to: typeof paths.ask | typeof paths.alert; params: { id: string } } {
  const { kind, id } = partsOf(key)
  return { to: kind === 'ask' ? paths.ask : paths.alert, params: { id } }
}

export function partsOf(key: string): { kind: string; id: string } {
  const [kind = '', id = ''] = key.split(':')
  return { kind, id }
}
