import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fail, ok, type Failed, type Result } from '../result.ts'
import {
  clients,
  serverName,
  type ClientName,
  type ServerLaunch,
  type InstallEnvironment,
  type InstallScope,
} from './clients.ts'
import { nested, removeFromJson, setInJson, valueIn } from './json-edit.ts'
import { removeServer, serverIn, setServer, tableText } from './toml-edit.ts'

export type InstallPlan = {
  readonly path: string
  /** The configuration to add. */
  readonly snippet: string
  readonly outcome: 'added' | 'changed' | 'unchanged'
  write(): Result<void>
}

type InstallRequest = { client: ClientName; scope: InstallScope; launch: ServerLaunch; place: InstallEnvironment }

/** Plans the installation. `write` carries it out, all or nothing. */
export function planInstall({ client, scope, launch, place }: InstallRequest): Result<InstallPlan> {
  const { file, entry, format, title } = clients[client]
  const path = file(scope, place)
  const read = textOf(path)
  if (!read.ok) return read
  const text = read.value
  const { path: keys, value: own } = entry(launch, text)
  const isToml = format === 'toml'
  const old = isToml ? serverIn(text, serverName) : valueIn(text, keys)
  // Keep other settings that the user added to our entry.
  const value = isToml ? own : { ...kept(old), ...own }
  const snippet = isToml ? tableText(serverName, own).trimEnd() : JSON.stringify(nested(keys, own), null, 2)
  const isSame = isToml ? isSameOf(old, own) : isDeepStrictEqual(old, value)
  const outcome = old === undefined ? 'added' : isSame ? 'unchanged' : 'changed'
  return ok({
    path,
    snippet,
    outcome,
    write() {
      if (outcome === 'unchanged') return ok(undefined)
      const changed = isToml ? setServer(text, serverName, own) : setInJson(text, keys, value)
      if (changed === null) return notEditable(title, path, snippet)
      return replaceFile(path, changed, Object.keys(launch.env).length > 0)
    },
  })
}

export type RemovalPlan = { readonly path: string; readonly isThere: boolean; write(): Result<void> }

/** Plans the removal of what an installation wrote; everything else in the file stays. */
export function planRemoval({ client, scope, launch, place }: InstallRequest): Result<RemovalPlan> {
  const { file, entry, format, title } = clients[client]
  const path = file(scope, place)
  const read = textOf(path)
  if (!read.ok) return read
  const text = read.value
  const { path: keys } = entry(launch, text)
  const isToml = format === 'toml'
  const old = isToml ? serverIn(text, serverName) : valueIn(text, keys)
  return ok({
    path,
    isThere: old !== undefined,
    write() {
      if (old === undefined) return ok(undefined)
      const changed = isToml ? removeServer(text, serverName) : removeFromJson(text, keys)
      if (changed === null) return notRemovable(title, path, keys)
      return replaceFile(path, changed, false)
    },
  })
}

const notRemovable = (title: string, path: string, keys: readonly string[]): Failed =>
  fail({
    kind: 'conflict',
    code: 'file_not_editable',
    message: `${path} has comments or formatting that would be lost. Nothing was written.`,
    hint: `For ${title}, remove ${keys.join('.')} yourself.`,
  })

/** Keys that we write. Old values are dropped, so that no unused token stays. */
const ours = new Set(['type', 'command', 'args', 'env', 'environment', 'timeout', 'enabled'])
const kept = (old: unknown): Record<string, unknown> =>
  typeof old === 'object' && old !== null
    ? Object.fromEntries(Object.entries(old).filter(([key]) => !ours.has(key)))
    : {}

/** Ignores subtables, such as approvals of single tools. */
const isSameOf = (old: unknown, own: Record<string, unknown>): boolean =>
  typeof old === 'object' &&
  old !== null &&
  'env' in old === 'env' in own &&
  isDeepStrictEqual(structuredClone({ ...old, ...own }), structuredClone(old))

function textOf(path: string): Result<string> {
  try {
    return ok(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ok('')
    return cannotUse('read', path, error)
  }
}

/** Writes a temporary file and renames it, with the same mode. A symlink stays a symlink. */
function replaceFile(path: string, text: string, isSecret: boolean): Result<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  let written = temporary
  try {
    mkdirSync(dirname(path), { recursive: true })
    const old = statSync(path, { throwIfNoEntry: false })
    const target = old ? realpathSync(path) : path
    written = old ? `${target}.${randomUUID()}.tmp` : temporary
    const mode = isSecret ? 0o600 : (old?.mode ?? 0o644) & 0o777
    writeFileSync(written, text, { mode, flush: true, flag: 'wx' })
    if (old) chmodSync(written, mode)
    renameSync(written, target)
    return ok(undefined)
  } catch (error) {
    rmSync(written, { force: true })
    return cannotUse('written', path, error)
  }
}

const cannotUse = (what: string, path: string, error: unknown): Failed =>
  fail({
    kind: 'unavailable',
    code: 'file_not_usable',
    message: `${path} can't be ${what}: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'Add the configuration by hand: signalbox mcp install --print shows it.',
  })

const notEditable = (title: string, path: string, snippet: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'file_not_editable',
    message: `${path} has comments or formatting that would be lost. Nothing was written.\nFor ${title}, add this yourself:\n\n${snippet}\n`,
  })
