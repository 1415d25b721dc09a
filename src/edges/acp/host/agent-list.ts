import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, notFound, ok, type Result } from '../../../lib/result.ts'
import { createLimit } from '../../../lib/limit.ts'
import { waitWhileItWorks } from '../../../lib/patience.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Json } from '../../../lib/json.ts'
import type { AgentDefinition } from '../launch/presets.ts'
import { agentMissing, wrapCommand, type Launch } from '../launch/launch.ts'
import { nameInside } from '../launch/program-mounts.ts'
import { loginCommand, signInMethods } from './agent-setup.ts'
import { spawnProbe, type ProbeProcess } from './probe-process.ts'
import { refusalText, talkTo } from './probe-talk.ts'

/** Probed agents at once: more slow each other down. */
const atOnce = 2
const lastWordsMs = 1000

/** Nothing is started; each agent is started; each is asked for a session too. */
type Probe = 'none' | 'start' | 'session'
type SignInInput = { methodId: string; variables: Readonly<Record<string, string>>; key: string | null }

/** The agents that can be started here, with what a probe finds out if one is requested; and signing in to one. */
export function createAgentList(deps: {
  dataDir: string
  log: Logger
  agents: ReadonlyMap<string, AgentDefinition>
  defaultAgent: string
  version: string
  /** How long a probed agent can take without progress. */
  patienceMs: number
  /** The program's path, or null if it is not installed. */
  find(agent: AgentDefinition): Promise<string | null>
  usualIsolation(agent: AgentDefinition): Promise<AgentInfo['isolation']>
  launch(agent: AgentDefinition, id: SessionId, workspace: string, isolation: null): Promise<Result<Launch>>
}) {
  /** Of all callers together. */
  const limit = createLimit(atOnce)

  async function look(agent: AgentDefinition, probe: Probe): Promise<AgentInfo> {
    const { name, title, command, install, installCommand } = agent
    const info: AgentInfo = {
      name,
      title,
      command,
      install,
      installCommand,
      isDefault: name === deps.defaultAgent,
      installed: false,
      version: null,
      answers: null,
      protocolVersion: null,
      capabilities: null,
      authMethods: [],
      ready: null,
      signIn: [],
      loginCommand: null,
      isolation: 'none',
      error: null,
    }
    const program = await deps.find(agent)
    if (program === null) return info
    const found = {
      ...info,
      installed: true,
      loginCommand: loginCommand(agent, program),
      isolation: await deps.usualIsolation(agent),
    }
    return probe === 'none' ? found : limit(() => probed(agent, program, found, probe))
  }

  /** In an empty directory: a probed agent must not see anyone's files. */
  async function launched<T>(
    agent: AgentDefinition,
    use: (launch: Launch, start: (argv: Launch['argv']) => ProbeProcess, place: string) => Promise<T>,
  ): Promise<Result<T>> {
    const place = await mkdtemp(join(tmpdir(), 'signalbox-probe-'))
    try {
      const real = await realpath(place)
      const launch = await deps.launch(agent, newRandomId(), real, null)
      if (!launch.ok) return launch
      return ok(await use(launch.value, (argv) => spawnProbe(deps, launch.value, argv), real))
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  }

  async function probed(agent: AgentDefinition, program: string, found: AgentInfo, probe: Probe): Promise<AgentInfo> {
    const looked = await launched(agent, async (launch, start, place) => {
      const asked = async () =>
        versionOf(start(wrapCommand(launch, [await nameInside(program), '--version'])), deps.patienceMs)
      const version = agent.name === 'practice' ? deps.version : await asked()
      return { ...found, version, ...(await probeAgent(start(launch.argv), deps, probe === 'session' ? place : null)) }
    })
    return looked.ok ? looked.value : { ...found, answers: false, error: looked.fault.message }
  }

  /** Only what the method names is given to the agent. */
  async function signIn(name: string, { methodId, variables, key }: SignInInput) {
    const agent = deps.agents.get(name)
    if (!agent) return notFound('agent', name)
    if ((await deps.find(agent)) === null) return agentMissing(agent)
    const named = await launched(agent, (launch, start) =>
      talkTo(start(launch.argv), deps, async ({ initialize }) => signInMethods((await initialize()).authMethods)).catch(
        (error: unknown) => refusalText(error),
      ),
    )
    if (!named.ok) return named
    if (typeof named.value === 'string') return ok({ ready: false, error: named.value })
    const method = named.value.find(({ id }) => id === methodId)
    if (!method) return notOffered(named.value.map(({ id }) => id))
    const strange = Object.keys(variables).find((one) => !method.variables.includes(one))
    if (strange !== undefined) return notNamed(strange)
    const signedIn = await limit(() =>
      launched({ ...agent, env: { ...agent.env, ...variables } }, (launch, start) => {
        const process = start(launch.argv)
        return talkTo(process, deps, async ({ initialize, authenticate }) => {
          await initialize()
          await authenticate(methodId, key === null ? null : { 'api-key': { apiKey: key } })
          return null
        }).catch((error: unknown) => refusalText(error))
      }),
    )
    if (!signedIn.ok) return signedIn
    if (signedIn.value !== null) return ok({ ready: false, error: signedIn.value })
    // What another process finds is what sessions will find.
    const now = await look(agent, 'session')
    return ok({ ready: now.ready === true, error: now.ready === true ? null : (now.error ?? notKept) })
  }

  const list = (probe: Probe, name?: string): Promise<AgentInfo[]> => {
    const wanted = [...deps.agents.values()].filter((agent) => name === undefined || agent.name === name)
    return Promise.all(wanted.map((agent) => look(agent, probe)))
  }
  return { list, signIn }
}

const notKept = 'The agent accepted it, but a new process still asks to sign in. Set its key under [agents.NAME] env.'

const notOffered = (ids: readonly string[]) =>
  fail({
    kind: 'invalid',
    code: 'auth_method_not_offered',
    message: 'The agent does not offer this method.',
    ...(ids.length > 0 && { hint: `Its methods: ${ids.join(', ')}.` }),
  })

const notNamed = (variable: string) =>
  fail({
    kind: 'invalid',
    code: 'variable_not_named',
    message: `This method does not name the variable ${variable}.`,
  })

async function versionOf(process: ProbeProcess, patienceMs: number): Promise<string | null> {
  let text = ''
  process.child.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < 10_000) text += part
  })
  const said = once(process.child.stdout, 'end').catch(() => {})
  process.child.stdin.end()
  try {
    await waitWhileItWorks(process.exited, { ms: patienceMs, effort: process.effort })
    // A process it left behind may keep its output open forever.
    await withTimeLimit(said, lastWordsMs)
    return /(?<!\d)\d{1,9}\.\d{1,9}[\w.+-]{0,100}/.exec(text)?.[0] ?? null
  } finally {
    await process.end()
  }
}

type ProbeResult = Pick<
  AgentInfo,
  'answers' | 'protocolVersion' | 'capabilities' | 'authMethods' | 'ready' | 'signIn' | 'error'
>

/** Sends `initialize`; with a place, asks for a session there too. */
async function probeAgent(
  process: ProbeProcess,
  deps: { version: string; patienceMs: number },
  place: string | null,
): Promise<ProbeResult> {
  const silent = { protocolVersion: null, capabilities: null, authMethods: [], ready: null, signIn: [] }
  return talkTo(process, deps, async ({ initialize, opensSession }) => {
    const { protocolVersion, agentCapabilities, authMethods } = await initialize()
    const found = {
      answers: true,
      protocolVersion,
      capabilities: (agentCapabilities ?? {}) as Json,
      authMethods: (authMethods ?? []) as Json,
      ready: null,
      signIn: signInMethods(authMethods),
      error: null,
    }
    if (place === null) return found
    return opensSession(place).then(
      (ready) => ({ ...found, ready }),
      (error: unknown) => ({ ...found, error: `It opened no session: ${refusalText(error)}` }),
    )
  }).catch((error: unknown) => ({ answers: false, error: refusalText(error), ...silent }))
}
