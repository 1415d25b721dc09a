import { mkdir, writeFile } from 'node:fs/promises'
import { extname, join, relative, dirname } from 'node:path'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { AgentDefinition } from './definition.ts'
import type { Mount } from './mounts.ts'
import { expandPath, isWithin, leadsThrough, realOrNull, realSoFar } from './paths.ts'

/** Certificates that all agents need, if a variable names them. */
const certificates = ['${NODE_EXTRA_CA_CERTS}', '${SSL_CERT_FILE}', '${SSL_CERT_DIR}']

type OpenedInput = {
  readonly agent: AgentDefinition
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly workspace: string
  readonly dataDir: string
}

type OpenedPath = {
  readonly named: string
  readonly at: string
  /** It is in the workspace, which is writable anyway, and where the agent may have made a symlink. */
  readonly foreign: boolean
}

/** Paths that the preset and the operator open besides the workspace. */
export async function openedMounts(input: OpenedInput): Promise<Result<Mount[]>> {
  const mounts: Mount[] = []
  for (const path of [...certificates, ...input.agent.readPaths]) {
    const place = await locate(path, input)
    const from = place === null ? null : await realOrNull(place.named)
    if (place === null || from === null || (place.foreign && !isWithin(input.workspace, from))) continue
    if (isWithin(input.dataDir, from)) return ownData(input.agent.name, place.named)
    mounts.push({ kind: 'read', at: place.at, from })
  }
  for (const path of input.agent.openPaths) {
    const place = await locate(path, input)
    if (place === null || place.foreign) continue
    if (isWithin(input.dataDir, await realSoFar(place.named))) return ownData(input.agent.name, place.named)
    const made = await make(place.named)
    if (!made.ok) return made
    mounts.push({ kind: 'write', at: place.at, from: made.value })
  }
  return ok(mounts)
}

/**
 * The path inside the sandbox, as the agent will use it. Within the home the name is kept, because symlinks there are
 * hidden; elsewhere they still exist.
 */
async function locate(path: string, { env, home, workspace }: OpenedInput): Promise<OpenedPath | null> {
  const named = expandPath(path, env, home)
  if (named === null || named === '/') return null
  const at = isWithin(home, named) ? join(await realSoFar(home), relative(home, named)) : await realSoFar(named)
  return { named, at, foreign: await leadsThrough(workspace, named) }
}

const fileKinds = ['.json', '.jsonc', '.toml', '.yaml', '.yml']

async function make(path: string): Promise<Result<string>> {
  const there = await realOrNull(path)
  if (there !== null) return ok(there)
  try {
    if (fileKinds.includes(extname(path))) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      // An empty file is not valid JSON.
      await writeFile(path, extname(path) === '.json' ? '{}\n' : '', { flag: 'wx', mode: 0o600 })
    } else await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (reason !== 'EEXIST')
      return fail({
        kind: 'unavailable',
        code: 'open_path_unavailable',
        message: `The agent needs ${path}, which can't be created (${reason}).`,
        hint: 'Create it yourself, or start the agent with isolation "none".',
      })
  }
  return ok((await realOrNull(path)) ?? path)
}

const ownData = (agent: string, path: string): Result<never> =>
  fail({
    kind: 'invalid',
    code: 'open_path_refused',
    message: `${path} belongs to Signalbox's own data, which agents can't see.`,
    hint: `Remove it from open_paths and read_paths of [agents.${agent}].`,
  })
