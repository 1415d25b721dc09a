import { dirname } from 'node:path'
import type { App } from './app/app.ts'
import type { PolicyOf } from './app/rulings.ts'
import type { RiskLevel } from './domain/ask/schema.ts'
import type { AskSubject } from './domain/ask/subject.ts'
import type { LoadedConfig } from './config/index.ts'
import { matterOf } from './domain/policy/matter.ts'
import type { Session } from './domain/session/schema.ts'
import { systemStanding } from './domain/user/actor.ts'
import { createPolicies, type Policies } from './edges/policy/in.ts'
import type { Logger } from './lib/log.ts'

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
  const policies = createPolicies({
    registry: () => commands,
    confirmed: async (workspaceRoot) => app?.read.confirmedRules(workspaceRoot) ?? [],
    warn(workspaceRoot, text) {
      if (app)
        tellSessions(app, workspaceRoot, text).catch((error: unknown) => log.warn({ error: String(error) }, 'warn'))
    },
    async put(root, path, content, before) {
      const { putFile } = await import('./edges/workspace/put-file.ts')
      return putFile({ root, path, content, before, refused })
    },
    log: log.child({ part: 'policy' }),
    kept: [loaded.dataDir, ...(loaded.file === null ? [] : [loaded.file, dirname(loaded.file)])],
  })
  async function ruleFor(subject: AskSubject, workspaceRoot: string, risk: RiskLevel, tool?: string) {
    const matter = matterOf(subject, { workspaceRoot, ...(tool !== undefined && { tool }) })
    return matter === null ? null : policies.judge(workspaceRoot, matter, risk)
  }
  return {
    policies,
    policyOf: (ask, workspaceRoot, tool) => ruleFor(ask.subject, workspaceRoot, ask.riskLevel, tool),
    ruleFor,
    serve(served) {
      app = served
      served.tail.listen((events) => {
        if (events.some(({ type }) => type === 'policy.confirmed' || type === 'policy.revoked')) policies.invalidate()
      })
    },
  }
}

const seeing = systemStanding('policy')

/** Whoever works there learns that their policy is not what they think. */
async function tellSessions(app: App, workspaceRoot: string, text: string): Promise<void> {
  let before: Session | undefined
  do {
    const page = await app.read.sessions(seeing, { statuses: ['active', 'paused'], limit: 100, offset: 0, before })
    if (!page.ok) return
    before = page.value.sessions.at(-1)
    for (const { id, workspaceRoot: root } of page.value.sessions)
      if (root === workspaceRoot)
        await app.dispatch({ type: 'session.alert', id, what: 'policy', text: text.slice(0, 10_000) }, seeing.actor)
  } while (before)
}
