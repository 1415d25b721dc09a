import { readFile } from 'node:fs/promises'
import { providerVariable } from '../../../lib/container/provider-name.ts'
import type { ContainerProvider } from '../../../lib/container/settings.ts'
import { insidePorts, type GateProvider } from '../../../lib/container/spec.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import type { ContainerInput } from './container.ts'
import { agentEnvironment, gitIdentity } from './environment.ts'
import { proxyVariables } from './network.ts'

/** The key for a reference; null if there is none. */
export type KeySource = (ref: string) => Promise<string | null>

/** Keys in the server's environment, and in files that only the operator writes. */
export const usualKeys =
  (env: NodeJS.ProcessEnv): KeySource =>
  async (ref) => {
    const [kind, name] = [ref.slice(0, ref.indexOf(':')), ref.slice(ref.indexOf(':') + 1)]
    const text = kind === 'env' ? env[name] : kind === 'file' ? await readFile(name, 'utf8').catch(() => '') : ''
    return text?.trim() || null
  }

/** How providers expect a key, and which variables tell an agent their address. */
const known: Readonly<Record<string, { header: string; url: string; path: string; key: string }>> = {
  anthropic: { header: 'x-api-key', url: 'ANTHROPIC_BASE_URL', path: '', key: 'ANTHROPIC_API_KEY' },
  openai: { header: 'authorization', url: 'OPENAI_BASE_URL', path: '/v1', key: 'OPENAI_API_KEY' },
  gemini: { header: 'x-goog-api-key', url: 'GOOGLE_GEMINI_BASE_URL', path: '', key: 'GEMINI_API_KEY' },
  openrouter: { header: 'authorization', url: 'OPENROUTER_BASE_URL', path: '', key: 'OPENROUTER_API_KEY' },
}

/** What an agent that insists on a key gets; the gate replaces it. */
const stand = 'added-by-signalbox'

export async function providersOf(
  providers: readonly ContainerProvider[],
  keys: KeySource,
): Promise<Result<GateProvider[]>> {
  const found: GateProvider[] = []
  for (const { name, baseUrl, keyRef, header, key: given } of providers) {
    const key = given ?? (keyRef === null ? null : await keys(keyRef))
    if (keyRef !== null && key === null) return noKey(name, keyRef)
    const field = (header ?? known[name]?.header ?? 'authorization').toLowerCase()
    const value = field === 'authorization' ? `Bearer ${key}` : (key ?? '')
    found.push({ name, baseUrl, headers: key === null ? {} : { [field]: value }, outside: given !== undefined })
  }
  return ok(found)
}

const secretVariable = /key|token|secret|passw|credential|auth/i
/** Variables that hold paths of this machine. */
const ofThisMachine = /^(?:PATH|HOME|TMPDIR|SHELL|USER|LOGNAME|XDG_.*|.*_proxy)$/i

/** Variables inside: no key, and nothing of the server's own. */
export async function insideEnvironment(
  { agent, sessionId, workspace, extraWritable, request }: ContainerInput,
  scene: { home: string; proxied: boolean; gate: boolean; hostEnv: NodeJS.ProcessEnv },
): Promise<Record<string, string>> {
  const { network, env } = request.settings
  const plain = Object.entries(agent.env).filter(([name]) => !secretVariable.test(name) && !ofThisMachine.test(name))
  const definition = { ...agent, passEnv: [], env: Object.fromEntries(plain) }
  const { PATH: _, ...own } = await agentEnvironment({
    agent: definition,
    hostEnv: {},
    sessionId,
    nodeDirectory: '/usr/local/bin',
  })
  const identity = await gitIdentity(
    workspace,
    { HOME: scene.hostEnv['HOME'] ?? '', PATH: scene.hostEnv['PATH'] ?? '' },
    extraWritable[0] ?? null,
  )
  const entries = Object.entries<string | null>({
    LANG: scene.hostEnv['LANG'] ?? 'C.UTF-8',
    ...(scene.hostEnv['TZ'] !== undefined && { TZ: scene.hostEnv['TZ'] }),
    TERM: scene.hostEnv['TERM'] ?? 'xterm-256color',
    SHELL: '/bin/sh',
    TMPDIR: '/tmp',
    USER: 'agent',
    LOGNAME: 'agent',
    ...providerVariables(network.providers),
    ...proxyVariables(scene.proxied ? insidePorts.proxy : null),
    ...identity,
    ...own,
    ...env,
    HOME: scene.home,
  })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}

function providerVariables(providers: readonly ContainerProvider[]): Record<string, string> {
  const base = `http://127.0.0.1:${insidePorts.providers}/provider`
  return Object.fromEntries(
    providers.flatMap(({ name }) => {
      const usual = known[name]
      const plain: [string, string][] = [[providerVariable(name), `${base}/${name}`]]
      return usual ? [...plain, [usual.url, `${base}/${name}${usual.path}`], [usual.key, stand]] : plain
    }),
  )
}

const noKey = (name: string, ref: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'provider_key_missing',
    message: `The key of provider ${name} was not found at ${ref}.`,
    hint: 'Set the variable for the server, or create the file; it is named in [containers] providers.',
  })
