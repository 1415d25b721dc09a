import { mayUseMachine, type Standing } from '../domain/user/actor.ts'
import { fail, type Failed } from '../lib/result.ts'
import type { Answer } from '../domain/ask/answer.ts'
import type { AskSubject } from '../domain/ask/subject.ts'
import type { Isolation } from '../domain/session/schema.ts'
import type { CommandOf } from './command.ts'
import {
  agentOrOperator,
  agentsMayNot,
  allow,
  forbid,
  operator,
  rule,
  type Grounds,
  type PermissionRule,
} from './rules.ts'

/** What can be done without the right, for the hint. The owners to ask are added later, when their names are known. */
const instead = {
  workspace: 'Without it, start the session in a registered repo that you can use.',
  isolation: 'Without it, start the session without isolation none.',
  terminal: 'Without it, follow logs in terminal.watch_roots.',
  typing: 'Without it, ask the owner of the terminal to type.',
  prompt: 'Without it, work in sessions that run in a sandbox.',
  command: 'Without it, ask the agent to do it.',
  refusal: 'Without it, reject without a reason: an agent that runs without a sandbox would read the reason.',
} as const

/** S1: refused because it would run, read or write as the server's user. */
export const needsMachine = (message: string, without?: keyof typeof instead): Failed =>
  fail({ kind: 'forbidden', code: 'needs_machine', message, hint: without && instead[without] })

export const programs = "Running programs as the server's user needs the machine right."

/** Adds the people to ask to the hint of a refusal. */
export function whomToAsk(refused: Failed, owners: readonly string[], caller: string): Failed {
  const { hint, ...fault } = refused.fault
  const ask = `Ask an owner (${owners.join(', ')}): signalbox roles grant machine ${quoted(caller)}.`
  return fail({ ...fault, hint: hint === undefined ? ask : `${ask} ${hint}` })
}
const quoted = (name: string): string => (/^[\w.@:-]+$/.test(name) ? name : `"${name}"`)

const machine = (standing: Standing, message: string, without: keyof typeof instead): Failed | null =>
  mayUseMachine(standing) ? allow : needsMachine(message, without)

/** The session's owner must still be allowed to use its workspace. A terminal has a directory but is not bound to it. */
const inPlace = (grounds: Grounds): Failed | null =>
  grounds.session?.protocolMode === 'terminal' ? allow : inWorkspace(grounds)

/** A repo that the owner may not use counts as any other directory. */
const mayWorkThere = ({ standing, workspace }: Grounds): Failed | null =>
  standing.actor.kind === 'system' || !workspace || workspace.mayUse || workspace.ownerHasMachine
    ? allow
    : needsMachine('Working outside registered repos needs the machine right.', 'workspace')

const inWorkspace = (grounds: Grounds): Failed | null => {
  const refused = mayWorkThere(grounds)
  if (refused === allow || !grounds.workspace?.isRepo) return refused
  return forbid(
    'workspace_not_permitted',
    "The session's owner no longer has access to this repo.",
    'Ask an admin for access: signalbox repos access REPO --user NAME.',
  )
}

/** In a sandbox or a container. */
const isConfined = ({ isolation }: { isolation: Isolation | null }): boolean =>
  isolation !== null && isolation !== 'none'

/** Whether the agent or program of a session runs as the server's user. */
const isUnconfined = ({ session }: Grounds): boolean =>
  session !== undefined &&
  ((session.protocolMode === 'acp' && session.isolation === 'none') ||
    (session.protocolMode === 'terminal' && !isConfined(session)))

/** Controlling a program that runs as the server's user needs the right, even if the session was delegated. */
const mayDrive = (grounds: Grounds, without: keyof typeof instead): Failed | null => {
  const refused = inPlace(grounds)
  if (refused || !isUnconfined(grounds)) return refused
  const { standing, workspace, session } = grounds
  // Nobody may act through an owner who has lost the right.
  if (session?.protocolMode === 'acp' && workspace && !workspace.ownerHasMachine && standing.actor.kind !== 'system')
    return needsMachine(programs, without)
  return machine(standing, programs, without)
}

/** Explained below the table in docs/access.md. */
const usable = '²'

/** As `who`, and only while the session's owner may use its workspace. */
export const withPlace = <C>(who: PermissionRule<C>): PermissionRule<C> =>
  rule(`${who.who}${usable}`, (grounds, command) => who(grounds, command) ?? inPlace(grounds))

/** For saving or restoring files of a workspace, including a terminal's directory. */
export const withFiles = <C>(who: PermissionRule<C>): PermissionRule<C> =>
  rule(`${who.who}${usable}`, (grounds, command) => who(grounds, command) ?? inWorkspace(grounds))

const unlessConfined = '³'

export const driving: PermissionRule = rule(
  `${operator.who}${usable}${unlessConfined}`,
  (grounds) => operator(grounds, undefined) ?? mayDrive(grounds, 'prompt'),
)

/** What is said in a chat reaches the agent, whoever of the agent group's people says it (C3). */
export const writing: PermissionRule<CommandOf<'queue.add'>> = rule(
  `${driving.who}; through a wiring, members of its agent group and anyone in a public chat${usable}${unlessConfined}`,
  (grounds, { through }) => {
    if (through === undefined || grounds.standing.actor.kind !== 'person') return driving(grounds, undefined)
    if (grounds.entry === undefined || grounds.entry === 'unknown') return driving(grounds, undefined)
    return mayDrive(grounds, 'prompt')
  },
)

/** Typing into a terminal, hanging it up, running a registered command, or acting on an agent we host. */
export const steering: PermissionRule<CommandOf<'session.steer'>> = rule(
  `${operator.who}${usable}${unlessConfined}; a registered command or a pull request only with the machine right. Agents type into terminals that they started or were granted${unlessConfined}`,
  (grounds, { what }) => {
    const touches = what === 'type' || what === 'hang_up'
    const refused = touches && reaches(grounds) ? allow : operator(grounds, undefined)
    // Stopping something is always allowed.
    if (refused || what === 'hang_up' || what === 'cancel_turn') return refused
    if (what === 'run' || what === 'pull_request') return machine(grounds.standing, programs, 'command')
    return mayDrive(grounds, what === 'type' ? 'typing' : 'prompt')
  },
)

/** Whether the agent started the terminal or was granted access to it. */
export const reaches = ({ standing: { actor }, reachedBy }: Grounds): boolean =>
  actor.kind === 'agent' && actor.sessionId !== null && reachedBy?.includes(actor.sessionId) === true

/** An answer to a terminal's prompt is typed into it. */
export const mayBeTyped = (grounds: Grounds): Failed | null =>
  grounds.session?.protocolMode === 'terminal' ? mayDrive(grounds, 'typing') : allow

/** Approving what runs as the server's user needs the right. Refusing does not, unless it comes with a reason. */
export const mayConsent = (grounds: Grounds, subject: AskSubject, answer: Answer): Failed | null => {
  const { session, standing } = grounds
  if (!session) return allow
  const runsHere = subject.kind === 'command' && subject.run !== undefined && !isConfined(session)
  if (!refusals.includes(answer.outcome))
    return runsHere || isUnconfined(grounds) ? machine(standing, programs, 'prompt') : allow
  // The agent reads the reason, so it is a prompt.
  const hasWords = 'reason' in answer && answer.reason !== null && answer.reason !== ''
  return hasWords && isUnconfined(grounds) ? machine(standing, programs, 'refusal') : allow
}
const refusals: readonly Answer['outcome'][] = ['reject', 'decline', 'stop']

export const mayStart: PermissionRule<CommandOf<'session.start'>> = rule(
  `any person for themselves${usable}${unlessConfined}. Agents: MCP sessions, in a repo their person may use, or with the machine right in a workspace of the configuration. A copy: the owner of the session that is copied. For an agent group: its members, anyone in a public chat, and agents with a destination that leads to it, for their session's owner`,
  (grounds, { session, restartOf, forkOf }) => {
    const { standing, workspace } = grounds
    const { actor } = standing
    if (actor.kind === 'system') return allow
    if (actor.kind === 'policy') return agentsMayNot()
    // A hosted agent acts as the server's user, so only people may start one.
    if (actor.kind === 'agent' && session.protocolMode === 'acp') return agentsMayNot()
    if (forkOf !== undefined) {
      if (actor.kind === 'agent') return agentsMayNot()
      if (grounds.forked?.ownerUserId !== actor.userId)
        return forbid('not_owner', 'Only the owner of a session can copy it.')
    }
    const continues = restartOf !== null && grounds.session?.ownerUserId === session.ownerUserId
    if (actor.userId !== session.ownerUserId && !continues)
      return forbid('not_authorised', 'You can only start sessions for yourself.')
    if (actor.kind === 'agent' && actor.sessionId !== null)
      return forbid('token_of_one_session', "This token belongs to one session and can't start others.")
    // A successor or a copy was let in when the first one started.
    if (restartOf === null && forkOf === undefined && grounds.entry === 'unknown') return notAMember()
    const refused =
      restartOf === null ? mayWorkThere(grounds) : (agentOrOperator(grounds, undefined) ?? inPlace(grounds))
    if (refused) return refused
    if (isWeaker(session.isolation, grounds.config?.isolation ?? null) && !mayUseMachine(standing))
      return needsMachine('Less isolation than the agent group has needs the machine right.', 'isolation')
    if (session.protocolMode === 'acp' && session.isolation === 'none') {
      if (workspace && !workspace.ownerHasMachine) return needsMachine(programs, 'isolation')
      return machine(standing, programs, 'isolation')
    }
    // A caller on the local socket owns the server's files; an agent with a token only works where a person allowed it.
    const isNamed = actor.kind === 'person' || actor.tokenId === null || restartOf !== null
    return isNamed || workspace?.vouched === true ? allow : notVouched()
  },
)

const strength: Readonly<Record<Isolation, number>> = { none: 0, sandbox: 1, container: 2 }

/** A session is never less confined than its agent group says, unless the caller could run programs anyway. */
const isWeaker = (wanted: Isolation | null, ofGroup: Isolation | null): boolean =>
  wanted !== null && ofGroup !== null && strength[wanted] < strength[ofGroup]

/** Where a schedule will start sessions. Each start is checked again. */
export const mayPlan = (grounds: Grounds): Failed | null =>
  grounds.entry === 'unknown' ? notAMember() : mayWorkThere(grounds)

const notAMember = () =>
  forbid(
    'not_a_member',
    'Only members of the agent group can start its sessions.',
    'Ask an admin of the group to add you.',
  )

const notVouched = () =>
  forbid(
    'workspace_not_permitted',
    "An agent's token starts sessions in registered repos and in workspaces of the configuration.",
    'Ask an admin to register the repo: signalbox repos add PATH.',
  )

/** A terminal runs as the server's user; an agent's terminal was approved before (T1). */
export const mayOpenTerminal: PermissionRule<CommandOf<'terminal.open'>> = rule(
  'a program: people with the machine right, agents in their sandbox or with it. A log: anyone in `terminal.watch_roots`, agents in their workspace, people with the machine right anywhere',
  ({ standing }, { session, terminal, followed }) => {
    const { actor } = standing
    if (actor.kind === 'system') return allow
    if (actor.kind === 'policy' || actor.userId !== session.ownerUserId) return agentsMayNot()
    if (actor.kind === 'agent' && terminal.startedBy !== actor.sessionId) return agentsMayNot()
    if (terminal.logFile === null) return isConfined(session) ? allow : machine(standing, programs, 'terminal')
    if (followed === 'watched') return allow
    if (actor.kind === 'agent') return followed === 'workspace' ? allow : logNotPermitted(terminal.logFile)
    return machine(standing, 'Following logs outside terminal.watch_roots needs the machine right.', 'terminal')
  },
)

const logNotPermitted = (path: string) =>
  forbid(
    'not_permitted',
    `${path} is neither in the workspace nor in terminal.watch_roots.`,
    'Ask a person to add its directory to terminal.watch_roots.',
  )
