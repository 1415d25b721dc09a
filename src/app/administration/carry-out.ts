import { AdminCommand } from '../../domain/ask/admin-command.ts'
import { changedSince } from '../../domain/ask/administration.ts'
import { groupNow } from '../../domain/ask/store-administration.ts'
import type { LoadedAsk } from '../../domain/ask/store.ts'
import { isAboutGroup, type GroupSubject } from '../../domain/ask/subject.ts'
import {
  type ContainerConfigFields,
  GroupMcpServer,
  type GroupMcpServer as Server,
} from '../../domain/agent-group/container-config.ts'
import { AgentGroupCommand } from '../../domain/agent-group/schema.ts'
import { ChatCommand } from '../../domain/chat/schema.ts'
import type { CredentialId } from '../../domain/credential/id.ts'
import { providerNameOf, providerVariable } from '../../lib/container/provider-name.ts'
import { offerOf } from '../../domain/credential/store.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { AgentGroupId, UserId } from '../../domain/user/id.ts'
import type { Guard } from '../../db/leases.ts'
import type { Database, Executor } from '../../db/open.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { canonicalJson, type Json } from '../../lib/json.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { App } from '../app.ts'
import type { Command } from '../command.ts'
import type { AdministrationPorts } from './ports.ts'

/** What was done, what the agent is told, and whether it needs a new container to see it. */
export type Effect = { readonly result: Json; readonly text: string; readonly restarts: boolean }

type Deps = { app: Pick<App, 'dispatch' | 'check'>; database: Database; ports: AdministrationPorts }

const system: Actor = { kind: 'system', name: 'administration' }

/** The state that the approval was based on is gone. */
class ChangedSince extends Error {}

/** The database is away, or the like: nothing is wrong with the ask, so it is tried again. */
export class TryAgain extends Error {}

/** Carries out exactly what was approved. Each step has a key, so repeating it after a crash changes nothing. */
export async function carryOut(deps: Deps, ask: LoadedAsk, log: (line: string) => void): Promise<Result<Effect>> {
  const { subject } = ask
  if (!isAboutGroup(subject) || ask.agentGroupId === null)
    return refused('no_agent_group', 'The session belongs to no agent group, so there is nothing to change.')
  if (ask.subjectHash !== sha256(canonicalJson(subject)))
    return refused('subject_changed', 'The stored request is not the one that was shown, so it is not carried out.')
  try {
    return await effectOf(deps, { ...ask, agentGroupId: ask.agentGroupId }, subject, log)
  } catch (error) {
    if (error instanceof ChangedSince) return refused('changed_since', error.message)
    throw error
  }
}

type GroupAsk = LoadedAsk & { readonly agentGroupId: AgentGroupId }

async function effectOf(
  deps: Deps,
  ask: GroupAsk,
  subject: GroupSubject,
  log: (line: string) => void,
): Promise<Result<Effect>> {
  switch (subject.kind) {
    case 'packages':
      return installPackages(deps, ask, subject, log)
    case 'mcp_server':
      return addMcpServer(deps, ask, subject)
    case 'create_agent':
      return createAgent(deps, ask, subject)
    case 'credential':
      return grantCredential(deps, ask, subject)
    case 'admin_command':
      return runCommand(deps, ask, subject)
    default:
      return subject satisfies never
  }
}

type Of<K extends GroupSubject['kind']> = Extract<GroupSubject, { kind: K }>

async function installPackages(
  deps: Deps,
  ask: GroupAsk,
  subject: Of<'packages'>,
  log: (line: string) => void,
): Promise<Result<Effect>> {
  const { agentGroupId: id } = ask
  const { apt = [], npm = [] } = subject.after ?? {}
  const command = AgentGroupCommand.parse({
    type: 'agent_group.configure',
    id,
    packagesApt: apt,
    packagesNpm: npm,
  })
  const key = keyOf(ask, 'configure')
  const isDone = (await deps.app.check(command, approverOf(ask), { key })) === 'repeated'
  const now = await groupNow(deps.database.read, subject)
  if (!now) return refused('changed_since', 'The agent group was removed.')
  const changed = isDone ? null : changedSince(subject, now)
  if (changed !== null) return refused('changed_since', changed)
  // First the image, then the settings: a build that fails leaves the group as it was.
  const { agentGroupId: _id, vouchedServers: _vouched, updatedAt: _at, ...config } = now.config
  const settings: ContainerConfigFields = { ...config, packagesApt: apt, packagesNpm: npm }
  const built = await deps.ports.buildImage(id, settings, log)
  if (!built.ok) return built
  const image = built.value?.image ?? null
  log(image === null ? 'The agent group does not run in containers now; no image was built.' : `Built ${image}.`)
  const done = await step(deps, command, { key, subject, actor: approverOf(ask) })
  if (!done.ok) return done
  const names = [...subject.apt, ...subject.npm].join(', ')
  return ok({ result: { image }, text: `Installed: ${names}. They are available now.`, restarts: true })
}

async function addMcpServer(deps: Deps, ask: GroupAsk, subject: Of<'mcp_server'>): Promise<Result<Effect>> {
  const now = await groupNow(deps.database.read, subject)
  if (!now) return refused('changed_since', 'The agent group was removed.')
  const server: Server = GroupMcpServer.parse(subject.server)
  const mcpServers = { ...now.config.mcpServers, [subject.name]: server }
  const command = { type: 'agent_group.configure' as const, id: ask.agentGroupId, mcpServers }
  // Only this server counts for a repetition: others may have been added since.
  const done = await step(deps, command, {
    key: keyOf(ask, 'configure'),
    subject,
    actor: approverOf(ask),
    fingerprint: sha256(canonicalJson(subject)),
    sameServers: canonicalJson(now.config.mcpServers),
  })
  if (!done.ok) return done
  return ok({
    result: { server: subject.name },
    text: `The MCP server ${subject.name} was added. Its tools are available now.`,
    restarts: true,
  })
}

async function createAgent(deps: Deps, ask: GroupAsk, subject: Of<'create_agent'>): Promise<Result<Effect>> {
  const { app } = deps
  const { agentGroupId: creator } = ask
  const id = derivedId<AgentGroupId>('agent group of an ask', ask.id)
  const create = AgentGroupCommand.parse({
    ...(subject.group as object),
    type: 'agent_group.create',
    id,
    name: subject.name,
    config: subject.config,
  })
  const made = await step(deps, create, { key: keyOf(ask, 'create'), subject })
  if (!made.ok) return made
  const instruct = { type: 'agent_group.instruct' as const, id, text: subject.instructions }
  const instructed = await step(deps, instruct, { key: keyOf(ask, 'instruct') })
  if (!instructed.ok) return instructed
  const between = (from: AgentGroupId, to: AgentGroupId) =>
    ChatCommand.parse({ type: 'destination.add', agentGroupId: from, targetType: 'agent', targetId: to })
  const there = await app.dispatch(between(creator, id), system, { key: keyOf(ask, 'there') })
  if (!there.ok) return unlessAway(there)
  const back = await app.dispatch(between(id, creator), system, { key: keyOf(ask, 'back') })
  if (!back.ok) return unlessAway(back)
  const destination = there.value.subject
  return ok({
    result: { agentGroupId: id, destination },
    text: `The agent ${subject.name} was created. Write to it with send_message to ${destination}.`,
    restarts: false,
  })
}

async function grantCredential(deps: Deps, ask: GroupAsk, subject: Of<'credential'>): Promise<Result<Effect>> {
  const by = answererOf(ask)
  const id = derivedId<CredentialId>('credential of an ask', ask.id)
  const key = keyOf(ask, 'grant')
  const { host, name } = subject
  const sealed = by === null ? null : await offerOf(deps.database.read, ask.id, by)
  const where = { id, agentGroupId: ask.agentGroupId, host, name, by, askId: ask.id }
  const command = { type: 'credential.grant' as const, ...where, sealed: sealed ?? '' }
  const fingerprint = sha256(canonicalJson(where))
  const isDone = (await deps.app.check(command, system, { key, fingerprint })) === 'repeated'
  if (sealed === null && !isDone) return refused('value_missing', 'The answer came without a value.')
  const done = isDone ? ok(null) : await step(deps, command, { key, fingerprint, subject })
  if (!done.ok) return done
  return ok({
    result: { credentialId: id },
    text:
      `The credential ${name} for ${host} was granted. In your container, use the address in ` +
      `${providerVariable(providerNameOf(name))} instead of https://${host}: the credential is added there. ` +
      'Its value is not shown to you.',
    restarts: true,
  })
}

async function runCommand(deps: Deps, ask: GroupAsk, subject: Of<'admin_command'>): Promise<Result<Effect>> {
  const command = AdminCommand.parse(subject.command)
  const done = await step(deps, command, { key: keyOf(ask, 'run'), subject, actor: approverOf(ask) })
  if (!done.ok) return done
  return ok({ result: { subject: done.value ?? null }, text: `Done: ${command.type}.`, restarts: false })
}

type StepOptions = {
  key: string
  fingerprint?: string
  actor?: Actor
  /** What must still be as it was shown. */
  subject?: GroupSubject
  /** All servers of the group, for a step that writes them all. */
  sameServers?: string
}

/** Dispatches one step. In its transaction it looks again whether the result is what was shown. */
async function step(
  { app }: Pick<Deps, 'app'>,
  command: Command,
  { key, fingerprint, actor = system, subject, sameServers }: StepOptions,
): Promise<Result<string | null>> {
  const once = { key, ...(fingerprint !== undefined && { fingerprint }) }
  if ((await app.check(command, actor, once)) === 'repeated') return ok(null)
  const guard: Guard | undefined = subject && ((tx) => stillAsShown(tx, subject, sameServers))
  const done = await app.dispatch(command, actor, { ...once, guard })
  if (!done.ok) return unlessAway(done)
  return ok(done.value.subject)
}

async function stillAsShown(db: Executor, subject: GroupSubject, sameServers: string | undefined): Promise<void> {
  const now = await groupNow(db, subject)
  const changed = now ? changedSince(subject, now) : 'The agent group was removed.'
  if (changed !== null) throw new ChangedSince(changed)
  if (sameServers !== undefined && now && canonicalJson(now.config.mcpServers) !== sameServers)
    throw new TryAgain('another server was added meanwhile')
}

function unlessAway(failed: Failed): Failed {
  if (failed.fault.kind === 'unavailable') throw new TryAgain(failed.fault.message)
  return failed
}

const keyOf = ({ id }: Pick<LoadedAsk, 'id'>, what: string): string => `ask:${id}:${what}`

export const answererOf = ({ answeredBy }: Pick<LoadedAsk, 'answeredBy'>): UserId | null =>
  answeredBy?.startsWith('user:') ? (answeredBy.slice('user:'.length) as UserId) : null

/** The person who approved it acts, with the rights they have now. */
function approverOf(ask: Pick<LoadedAsk, 'answeredBy'>): Actor {
  const by = answererOf(ask)
  return by === null ? system : { kind: 'person', userId: by, scope: 'full' }
}

const refused = (code: string, message: string): Failed => fail({ kind: 'conflict', code, message })
