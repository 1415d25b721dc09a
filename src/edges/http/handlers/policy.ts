import type { App } from '../../../app/app.ts'
import type { Command } from '../../../app/command.ts'
import { api } from '../../../client/contract.ts'
import type { Ask, AskStatus } from '../../../domain/ask/schema.ts'
import type { PolicyInForce, PolicyReplay, Rule, RuleId } from '../../../domain/policy/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Actor, Standing } from '../../../domain/user/actor.ts'
import { newId } from '../../../lib/id.ts'
import { fail, notFound, ok, type Result } from '../../../lib/result.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

export type PolicyService = {
  inForce(workspaceRoot: string): Promise<PolicyInForce>
  pendingText(workspaceRoot: string, hash: string): Promise<Result<string | null>>
  seenText(workspaceRoot: string, hash: string | null): Promise<Result<string | null>>
  invalidate(workspaceRoot?: string): void
  write(workspaceRoot: string, settings: string, expected: string | null): Promise<Result<PolicyInForce>>
  replay(
    workspaceRoot: string,
    settings: string | null,
    rules: readonly Rule[],
    pages: AsyncIterable<readonly Ask[]>,
  ): Promise<Result<PolicyReplay>>
}

type WorkspaceRef = { workspaceRoot?: string | undefined; sessionId?: SessionId | undefined }

const past: readonly AskStatus[] = ['answered', 'expired', 'interrupted', 'cancelled', 'applying', 'consumed', 'failed']
const pageSize = 100

export function mountPolicy(
  web: Web,
  deps: RouteDeps,
  policies: PolicyService,
  /** Checks that agents may work there, and that it is still the same directory. */
  locate: (path: string) => Promise<Result<void>>,
): void {
  const { app } = deps

  mount(web, deps, api.getPolicy, async ({ query }, { caller }) => {
    const root = await rootOf(app, caller.standing, query)
    return root.ok ? ok(await policies.inForce(root.value)) : root
  })

  mount(web, deps, api.writePolicy, async ({ body }, { caller }) => {
    const allowed = await app.read.mayAdminister(caller.standing)
    if (!allowed.ok) return allowed
    const root = await rootOf(app, caller.standing, body)
    if (!root.ok) return root
    const located = await locate(root.value)
    if (!located.ok) return located
    const written = await writeRecorded(app, caller.actor, root.value, body.settings, () =>
      policies.write(root.value, body.settings, body.expected),
    )
    policies.invalidate(root.value)
    return written.ok ? ok(await policies.inForce(root.value)) : written
  })

  /** Checked first, so that only admins learn what is on the disk. */
  const byAdmin = async (standing: Standing, place: WorkspaceRef): Promise<Result<string>> => {
    const allowed = await app.read.mayAdminister(standing)
    return allowed.ok ? rootOf(app, standing, place) : allowed
  }
  type PolicyFileCommand = Extract<Command, { type: 'policy.accept' | 'policy.trust' | 'policy.untrust' }>
  const carryOut = async (command: PolicyFileCommand, call: ApiCall) => {
    const done = await app.dispatch(command, call.caller.actor, call.once)
    policies.invalidate()
    return done.ok ? ok(await policies.inForce(command.workspaceRoot)) : done
  }

  mount(web, deps, api.confirmPolicy, async ({ body }, call) => {
    const root = await byAdmin(call.caller.standing, body)
    if (!root.ok) return root
    const text = await policies.pendingText(root.value, body.hash)
    if (!text.ok) return text
    return carryOut({ type: 'policy.accept', id: newId(), workspaceRoot: root.value, settings: text.value }, call)
  })

  mount(web, deps, api.trustPolicy, async ({ body }, call) => {
    const root = await byAdmin(call.caller.standing, body)
    if (!root.ok) return root
    const located = await locate(root.value)
    if (!located.ok) return located
    const seen = body.hash === undefined ? undefined : await policies.seenText(root.value, body.hash)
    if (seen && !seen.ok) return seen
    const settings = seen ? { settings: seen.value } : {}
    return carryOut({ type: 'policy.trust', id: newId(), workspaceRoot: root.value, ...settings }, call)
  })

  mount(web, deps, api.untrustPolicy, async ({ body }, call) => {
    const root = await byAdmin(call.caller.standing, body)
    if (!root.ok) return root
    return carryOut({ type: 'policy.untrust', id: newId(), workspaceRoot: root.value }, call)
  })

  mount(web, deps, api.listTrusted, async (_input, { caller }) => {
    const found = await app.read.trustedWorkspaces(caller.standing)
    return found.ok ? ok({ workspaces: found.value }) : found
  })

  mount(web, deps, api.testPolicy, async ({ body }, { caller }) => {
    const root = await rootOf(app, caller.standing, body)
    if (!root.ok) return root
    const pages = pastAsks(app, caller.standing, root.value, body.since)
    return policies.replay(root.value, body.settings ?? null, body.rules, pages)
  })

  mount(web, deps, api.listRules, async ({ query }, { caller }) => {
    const { workspaceRoot, status: statuses } = query
    const rules = await app.read.policyRules(caller.standing, { workspaceRoot, statuses })
    return rules.ok ? ok({ rules: rules.value }) : rules
  })

  mount(web, deps, api.addRule, async ({ body: { rule, ...place } }, call) => {
    const root = await byAdmin(call.caller.standing, place)
    if (!root.ok) return root
    const located = await locate(root.value)
    if (!located.ok) return located
    const command = { type: 'policy.add' as const, id: newId<RuleId>(), workspaceRoot: root.value, rule }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    policies.invalidate(root.value)
    if (!done.ok) return done
    const rules = await app.read.policyRules(call.caller.standing, {
      workspaceRoot: root.value,
      statuses: ['confirmed'],
    })
    if (!rules.ok) return rules
    const made = rules.value.find((one) => one.rule.kind === rule.kind && one.rule.pattern === rule.pattern)
    return made ? ok(made) : notFound('rule', done.value.subject)
  })

  const decide = async (type: 'policy.confirm' | 'policy.dismiss' | 'policy.revoke', id: RuleId, call: ApiCall) => {
    const done = await app.dispatch({ type, id }, call.caller.actor, call.once)
    if (!done.ok) return done
    const rules = await app.read.policyRules(call.caller.standing, { id })
    if (!rules.ok) return rules
    const [rule] = rules.value
    return rule ? ok(rule) : notFound('rule', id)
  }
  mount(web, deps, api.confirmRule, ({ params }, call) => decide('policy.confirm', params.id, call))
  mount(web, deps, api.dismissRule, ({ params }, call) => decide('policy.dismiss', params.id, call))
  mount(web, deps, api.revokeRule, ({ params }, call) => decide('policy.revoke', params.id, call))
}

/** Checks that the change may be recorded before writing; a written policy is in force even if recording it failed. */
export async function writeRecorded(
  app: Pick<App, 'check' | 'dispatch'>,
  actor: Actor,
  workspaceRoot: string,
  settings: string,
  write: () => Promise<Result<PolicyInForce>>,
): Promise<Result<PolicyInForce>> {
  const note = { type: 'policy.note_written' as const, id: newId<RuleId>(), workspaceRoot, settings }
  const refused = await app.check(note, actor)
  if (refused && refused !== 'repeated') return refused
  const written = await write()
  if (!written.ok) return written
  const noted = await app.dispatch(note, actor)
  if (noted.ok) return written
  return fail({
    kind: 'unavailable',
    code: 'policy_not_noted',
    message: `The policy was saved and is in force, but the log has no record of it: ${noted.fault.message}`,
    hint: 'You do not need to save it again.',
    details: { hash: written.value.hash, because: noted.fault.code },
  })
}

/** People without the admin role see only repos they may use and workspaces they had asks in, so nobody can probe the disk. */
async function rootOf(app: App, standing: Standing, place: WorkspaceRef): Promise<Result<string>> {
  const person = await app.read.isPerson(standing)
  if (!person.ok) return person
  if (place.sessionId !== undefined) {
    const session = await app.read.session(standing, place.sessionId)
    return session.ok ? ok(session.value.workspaceRoot) : session
  }
  const { workspaceRoot } = place
  if (workspaceRoot === undefined)
    return fail({ kind: 'invalid', code: 'workspace_required', message: 'Give a workspace or a session.' })
  const root = workspaceRoot.replace(/(?<=.)\/+$/, '')
  const allowed = await app.read.mayAdminister(standing)
  if (allowed.ok) return ok(root)
  const repos = await app.read.repos(standing)
  if (repos.ok && repos.value.some(({ path }) => path === root)) return ok(root)
  const asks = await app.read.asks(standing, { workspaceRoot: root, limit: 1 })
  return asks.ok && asks.value.length > 0 ? ok(root) : allowed
}

async function* pastAsks(app: App, standing: Standing, workspaceRoot: string, since: string | undefined) {
  let before: { createdAt: string; id: string } | undefined
  for (;;) {
    const page = { workspaceRoot, since, statuses: past, limit: pageSize, before }
    const asks = await app.read.asks(standing, page)
    if (!asks.ok || asks.value.length === 0) return
    yield asks.value
    before = asks.value.at(-1)
    if (asks.value.length < pageSize) return
  }
}
