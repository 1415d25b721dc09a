import { imageReference } from '../lib/container/package-names.ts'
import type { ContainerProvider } from '../lib/container/settings.ts'
import { kindOf } from './describe-value.ts'
import { isTable, reader } from './tables.ts'
import { absolutePath } from './text-kinds.ts'
import type { Value } from './value.ts'
import { boolean, distinct, list, text } from './value.ts'

export { usualLimits as containerLimits } from '../lib/container/settings.ts'

/** A directory that containers may be given. */
export type AllowedMount = { readonly path: string; readonly write: boolean }

export const engineAddress = text('socket of an engine', (value) => {
  if (/^(?:unix:\/\/)?\/./.test(value)) return value
  return { wrong: 'must be the path of a socket', hint: 'write /run/docker.sock or unix:///run/podman/podman.sock' }
})

export const imageName = text('name of an image', (value) =>
  imageReference.test(value) ? value : { wrong: 'must be the name of an image, such as node:24-bookworm' },
)

const hostPattern = /^(?:\*\.)?(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i
export const containerHosts = distinct(
  text('host name', (value) =>
    hostPattern.test(value)
      ? value.toLowerCase()
      : { wrong: 'must be a host name, without a port', hint: 'write api.example.org or *.example.org' },
  ),
)

const providerName = text('name', (value) =>
  /^[a-z0-9][a-z0-9-]*$/.test(value) ? value : { wrong: 'must have only small letters, digits and "-"' },
)
const baseUrl = text('http or https address', (value) =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? '')
    ? value
    : { wrong: 'must be an address that starts with https:// or http://' },
)
const keyRef = text('env:NAME or file:/path', (value) =>
  /^(?:env:[A-Za-z_]\w*|file:\/.+)$/.test(value)
    ? value
    : { wrong: 'must say where the key is', hint: 'write env:ANTHROPIC_API_KEY or file:/etc/signalbox/key' },
)
const header = text('header', (value) => (/^[\w-]+$/.test(value) ? value : { wrong: 'must be a header name' }))

const provider: Value<ContainerProvider> = {
  kind: 'table',
  says: '{ name, base_url, key, header }',
  check(value, report, path) {
    if (!isTable(value)) {
      report(path, `must be a table, not ${kindOf(value)}`, 'write { name = "…", base_url = "…", key = "env:…" }')
      return undefined
    }
    const { field, need, faulty } = reader(value, ['name', 'base_url', 'key', 'header'], report, path)
    need('name', 'add name = "…"')
    need('base_url', 'add base_url = "https://…"')
    const checked = {
      name: field('name', providerName, ''),
      baseUrl: field('base_url', baseUrl, ''),
      keyRef: field('key', keyRef, null),
      header: field('header', header, null),
    }
    return faulty() ? undefined : checked
  },
}

export const providers: Value<readonly ContainerProvider[]> = {
  ...list(provider),
  check(value, report, path) {
    const checked = list(provider).check(value, report, path)
    const names = checked?.map(({ name }) => name) ?? []
    const twice = names.findIndex((name, index) => names.indexOf(name) !== index)
    if (twice === -1) return checked
    report([...path, twice, 'name'], `"${names[twice]}" is already the name of another provider`, 'names must differ')
    return undefined
  },
}

const allowedMount: Value<AllowedMount> = {
  kind: 'table',
  says: '{ path, write }',
  check(value, report, path) {
    if (typeof value === 'string') {
      const checked = absolutePath.check(value, report, path)
      return checked === undefined ? undefined : { path: checked, write: false }
    }
    if (!isTable(value)) {
      report(path, `must be a path or { path, write }, not ${kindOf(value)}`)
      return undefined
    }
    const { field, need, faulty } = reader(value, ['path', 'write'], report, path)
    need('path', 'add path = "/…"')
    const checked = { path: field('path', absolutePath, ''), write: field('write', boolean, false) }
    return faulty() ? undefined : checked
  },
}

export const allowedMounts = list(allowedMount)
