import { writtenType } from '../app/events.ts'
import { dirname } from 'node:path'
import type { App } from '../app/app.ts'
import type { PolicyOf } from '../app/rulings.ts'
import { alertWorkspace } from '../app/use-cases/alert-workspace.ts'
import type { RiskLevel } from '../domain/ask/schema.ts'
import type { AskSubject } from '../domain/ask/subject.ts'
import type { LoadedConfig } from '../config/index.ts'
import { decideObservation } from '../domain/policy/baseline.ts'
import { policySubjectOf } from '../domain/policy/policy-subject.ts'
import { isRegistered } from '../domain/policy/registry.ts'
import type { RuleId } from '../domain/policy/schema.ts'
import { higherRisk } from '../domain/risk/finding.ts'
import { judgeRisk } from '../domain/risk/judge.ts'
import type { SessionId } from '../domain/session/id.ts'
import { hasEnded } from '../domain/session/status.ts'
import { systemStanding } from '../domain/user/actor.ts'
import { createPolicies, type BaselineText, type Policies } from '../edges/policy/policies.ts'
import { newId } from '../lib/id.ts'
import type { Logger } from '../lib/log.ts'

/** Policies of workspaces, and what they say to asks. The app needs the one, and they need the app: it comes later. */
export function createPolicy(deps: { loaded: LoadedConfig; log: Logger }): {
  policies: Policies
  policyOf: PolicyOf
  ruleFor(subject: AskSubject, workspaceRoot: string, risk: RiskLevel): Promise<string | null>
  serve(app: App): void
} {
  const { loaded, log } = deps
  const commands = Object.values(loaded.config.commands).map(({ command }) => command)
  let app: App | null = null
  const refused = async (path: string) => {
    log.warn({ path }, 'a policy file that leads out of its workspace was not written')
    await app?.dispatch({ type: 'security.report', what: 'path_refused', detail: path }, seeing.actor)
  }
  const complain = (error: unknown) => log.warn({ error: String(error) }, 'warn')
  const policies = createPolicies({
    registry: () => commands,
    confirmed: async (workspaceRoot) => app?.read.confirmedRules(workspaceRoot) ?? [],
    warn(workspaceRoot, text) {
      if (app) alertWorkspace(app, seeing, workspaceRoot, text).catch(complain)
    },
    trust: async (workspaceRoot) => app?.read.trust(workspaceRoot) ?? null,
    observeBaseline: async (workspaceRoot, settings) => (app ? observeBaseline(app, workspaceRoot, settings) : nothing),
    async put(root, path, content, before) {
      const { writeOwnFile } = await import('../edges/workspace/write-own-file.ts')
      return writeOwnFile({ root, path, content, before, refused })
    },
    log: log.child({ part: 'policy' }),
    kept: [loaded.dataDir, ...(loaded.file === null ? [] : [loaded.file, dirname(loaded.file)])],
  })
  const told = new Set<SessionId>()

  async function ruleFor(subject: AskSubject, workspaceRoot: string, claimed: RiskLevel) {
    const asked = policySubjectOf(subject, { workspaceRoot })
    if (asked === null) return null
    // A command that someone registered word for word is as risky as the agent says: they have judged it.
    const registered = isRegistered(subject, commands, workspaceRoot)
    const risk = registered ? claimed : higherRisk(claimed, judgeRisk(subject, { workspaceRoot }).level)
    return policies.judge(workspaceRoot, asked, risk)
  }

  /** Once for each session: why a policy that is there answers nothing. */
  async function tellUntrusted(served: App, id: SessionId, workspaceRoot: string): Promise<void> {
    if (told.has(id) || (await served.read.trust(workspaceRoot)) !== null) return
    if (!(await policies.hasPolicy(workspaceRoot))) return
    if (told.size > mostTold) told.clear()
    told.add(id)
    const text = `The policy in ${workspaceRoot} is not trusted yet, so everything needs approval. To trust it: signalbox policy trust ${workspaceRoot}`
    await served.dispatch({ type: 'session.alert', id, what: 'policy', text }, seeing.actor)
  }

  return {
    policies,
    policyOf: {
      async rule(ask, workspaceRoot) {
        if (app && ask.sessionId !== null) tellUntrusted(app, ask.sessionId, workspaceRoot).catch(complain)
        return ruleFor(ask.subject, workspaceRoot, ask.riskLevel)
      },
      observe: (workspaceRoot) => policies.observe(workspaceRoot),
    },
    ruleFor,
    serve(served) {
      app = served
      served.tail.listen((events) => {
        for (const event of events) {
          // What concerns a repo concerns its worktrees too.
          if (/^policy\.(?!proposed$)/.test(writtenType(event))) policies.invalidate()
          if (event.type !== 'session.status_changed' || !hasEnded(event.data.to)) continue
          observeEnd(served, policies, event.data.id).catch(complain)
        }
      })
    },
  }
}

const seeing = systemStanding('policy')
const nothing: BaselineText = { settings: null, pendingSince: null }
const mostTold = 10_000

/** Records the text if that changes anything, and returns which one applies. */
async function observeBaseline(app: App, workspaceRoot: string, settings: string | null): Promise<BaselineText> {
  const command = { type: 'policy.observe' as const, id: newId<RuleId>(), workspaceRoot, settings }
  const decided = decideObservation(command, await app.read.observedPolicy(workspaceRoot))
  if (decided.ok && decided.value.length > 0) {
    const done = await app.dispatch(command, seeing.actor)
    if (!done.ok) throw new Error(done.fault.message)
  }
  const { baseline } = await app.read.observedPolicy(workspaceRoot)
  return baseline ? { settings: baseline.settings, pendingSince: baseline.pendingSince } : nothing
}

/** Nobody may be at work there any more: what is written from then on is a person's. */
async function observeEnd(app: App, policies: Policies, id: SessionId): Promise<void> {
  const session = await app.read.session(seeing, id)
  if (!session.ok || session.value.protocolMode === 'terminal') return
  const { workspaceRoot } = session.value
  await policies.observe(workspaceRoot)
  const { borrowed, baseline } = await app.read.observedPolicy(workspaceRoot)
  if (borrowed && baseline) await policies.observe(baseline.workspaceRoot)
}
