import { attachTerminal } from '../../keeper-client/attach.ts'
import type { AttachClient, ChildInfo } from '../../keeper-client/client.ts'
import { silentLogger } from '../../lib/log.ts'
import type { Fault } from '../../lib/result.ts'
import type { TerminalContext } from '../context.ts'
import { exit, Failure } from '../failure.ts'

/** What the keeper was told about a program in a terminal when it was started. */
export type TerminalLabel = {
  kind: 'terminal'
  session: string
  type: 'script' | 'ssh'
  /** JSON of the command line. */
  command: string
  cwd: string
  name?: string
  host?: string
  user?: string
  /** The terminal it was started in. */
  parent?: string
}

/** The keeper of the data directory. If there is none, it is started, or the result is null. */
export async function reachKeeper(context: TerminalContext, start: true): Promise<AttachClient>
export async function reachKeeper(context: TerminalContext, start: boolean): Promise<AttachClient | null>
export async function reachKeeper({ dataDir }: TerminalContext, start: boolean): Promise<AttachClient | null> {
  const reached = await attachTerminal({ dataDir, log: silentLogger, start })
  if (!reached.ok) throw failureOf(reached.fault)
  if (reached.value || !start) return reached.value
  throw new Failure({
    exit: exit.failed,
    code: 'keeper_not_started',
    message: 'The keeper did not start.',
    hint: 'See run/keeper.log in the data directory, and: signalbox doctor',
  })
}

export const failureOf = ({ code, message, hint }: Fault): Failure =>
  new Failure({ exit: exit.failed, code, message, hint })

export const isTerminal = ({ label }: ChildInfo): boolean => label['kind'] === 'terminal'
export const sessionOf = ({ id, label }: ChildInfo): string => label['session'] ?? id
