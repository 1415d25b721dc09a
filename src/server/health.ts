import { statfs } from 'node:fs/promises'
import type { App } from '../app/app.ts'
import type { AgentInfo } from '../client/contract/agents.ts'
import type { Check } from '../client/contract/system.ts'
import type { LoadedConfig } from '../config/index.ts'
import { probeBubblewrap } from '../lib/bubblewrap.ts'
import { probeOwnNetwork } from '../lib/probe-own-network.ts'
import { schemaStatus } from '../db/migrate.ts'
import type { Database } from '../db/open.ts'
import { lookAtEngine } from '../lib/container/look-at-engine.ts'
import { lookAtConfinement } from '../lib/confinement.ts'

const gigabyte = 1024 ** 3

/** Health checks of the running server. */
export async function checkHealth(deps: {
  app: App
  database: Database
  dataDir: string
  acp: LoadedConfig['config']['acp']
  agents: readonly AgentInfo[]
  /** The configured socket of the engine. */
  engine: string | null
  /** Why the changed configuration was not taken. */
  configFault: string | null
}): Promise<Check[]> {
  const confinement = await lookAtConfinement({ path: process.env['PATH'] ?? '', isolation: deps.acp.isolation })
  const own = await Promise.all([
    checkDatabase(deps.database),
    checkSynchronous(deps.database),
    checkDisk(deps.dataDir),
    checkDeadLetters(deps.app),
    checkAgentsNetwork(deps.acp),
    lookAtEngine({ configured: deps.engine, env: process.env }),
  ])
  return [...own, checkAgents(deps.agents), ...checkConfig(deps.configFault), ...confinement]
}

const check = (name: string, status: Check['status'], detail: string, hint: string | null = null): Check => ({
  name,
  status,
  detail,
  hint,
})

/** A server whose file was changed and has errors works on with what it had. */
const checkConfig = (fault: string | null): Check[] =>
  fault === null
    ? []
    : [
        check(
          'configuration',
          'fail',
          `its file has errors since it was changed; the previous [[workspace]] mappings stay in effect\n${fault}`,
          'Fix it, then check again with: signalbox config check',
        ),
      ]

async function checkDatabase(database: Database): Promise<Check> {
  if (!database.intact())
    return check('database', 'fail', 'its file was moved or deleted', 'Put it back and restart the server.')
  try {
    const { current, newest } = await schemaStatus(database)
    return check('database', 'ok', `${database.flavor.name}, schema ${current} of ${newest}`)
  } catch (error) {
    return check('database', 'fail', String(error), 'Check that it is running and that Signalbox may use it.')
  }
}

async function checkSynchronous({ sqlite }: Database): Promise<Check> {
  if (!sqlite) return check('durability', 'ok', 'as PostgreSQL is set up')
  const full = Number(sqlite.pragma('synchronous', { simple: true })) >= 2
  return full
    ? check('durability', 'ok', 'acknowledged writes survive a power cut (synchronous = full)')
    : check('durability', 'warn', 'a power cut can lose the last writes (synchronous = normal)')
}

async function checkDisk(dataDir: string): Promise<Check> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    const free = (bavail * bsize) / gigabyte
    return check(
      'disk',
      free < 0.5 ? 'warn' : 'ok',
      `${free.toFixed(1)} GB free`,
      free < 0.5 ? 'Free some space soon.' : null,
    )
  } catch (error) {
    return check('disk', 'warn', String(error))
  }
}

async function checkDeadLetters(app: App): Promise<Check> {
  const count = (await app.deadLetters.list()).length
  return count === 0
    ? check('followers', 'ok', 'every event was handled and every message sent')
    : check(
        'followers',
        'warn',
        `${count} events or messages could not be handled`,
        'See them with: signalbox events dead-letters',
      )
}

/** Which agents can be started; the default one should be among them. Whether they answer takes long to find out. */
function checkAgents(agents: readonly AgentInfo[]): Check {
  const name = 'agents'
  const installed = agents.filter((agent) => agent.installed).map((agent) => agent.name)
  const some = installed.length === 0 ? 'none is installed' : `installed: ${installed.join(', ')}`
  const usual = agents.find(({ isDefault }) => isDefault)
  if (usual === undefined || usual.installed) return check(name, 'ok', some)
  return check(name, 'warn', `${usual.name}, the default agent, is not installed; ${some}`, usual.install)
}

/** Whether agents have a loopback of their own; if not, what is missing. */
async function checkAgentsNetwork({ isolation, network }: LoadedConfig['config']['acp']): Promise<Check> {
  const name = 'network of agents'
  const shared = "share this machine's network: they reach other programs' ports"
  if (isolation === 'none') return check(name, 'warn', shared, 'Set acp.isolation to "auto" or "sandbox".')
  const root = process.getuid?.() === 0
  const bubblewrap = await probeBubblewrap(process.env['PATH'] ?? '', root)
  if (!bubblewrap.works) return check(name, 'warn', `${shared}; ${bubblewrap.why}`, 'Install the package bubblewrap.')
  if (network === 'host') return check(name, 'warn', `${shared} (acp.network)`, 'Set acp.network to "auto" or "own".')
  const own = await probeOwnNetwork(bubblewrap.program, root)
  if (own.works) return check(name, 'ok', 'their own loopback, and addresses allowed by name')
  const hint = 'Let the server create network namespaces; in a container this needs CAP_NET_ADMIN or user namespaces.'
  return check(name, 'warn', `${network === 'auto' ? shared : 'none can start'}; ${own.why}`, hint)
}
