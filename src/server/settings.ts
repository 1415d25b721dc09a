import type { LoadedConfig } from '../config/index.ts'
import type { Settings } from '../domain/slice/context.ts'

type Config = LoadedConfig['config']

/** The settings that the core decides by. Workspaces can change while it runs. */
export const coreSettings = (config: Config, groupsRoot: string, vouched: () => readonly string[]): Settings => ({
  groupsRoot,
  stall: {
    enabled: config.stall.enabled,
    inactivityMs: config.stall.inactivityThresholdSeconds * 1000,
    escalationMs: config.stall.escalationThresholdSeconds * 1000,
    maxRetries: config.stall.maxRetries,
    message: config.stall.defaultNudgeMessage,
  },
  timeouts: config.timeouts,
  limits: { mcp: config.maxConcurrentSessions, acp: config.acp.maxSessions, terminal: Number.MAX_SAFE_INTEGER },
  containers: config.containers.max,
  restartOnCrash: config.acp.restartOnCrash,
  timeZone: config.budgets.timeZone,
  adminsMayAnswer: config.approvals.adminsMayAnswer,
  separateRequester: config.approvals.separateRequester,
  get vouched() {
    return vouched()
  },
  commands: Object.values(config.commands).map(({ command }) => command),
  routing: {
    low: { needed: 1, reviewers: [] },
    high: { needed: config.approvals.highNeeds, reviewers: config.approvals.highReviewers },
    critical: { needed: config.approvals.criticalNeeds, reviewers: config.approvals.criticalReviewers },
  },
})

/** Identities that the configuration names. */
export const configuredIdentities = ({ authorizedUserIds, approvals }: Config): string[] => [
  ...new Set([...authorizedUserIds, ...approvals.highReviewers, ...approvals.criticalReviewers]),
]

/** Push services require a contact; without one configured, it is an address that nobody can have. */
export const pushSettings = ({ push, http }: Config) => ({
  subject: push.subject ?? (http.publicUrl?.startsWith('https:') ? http.publicUrl : 'mailto:nobody@signalbox.invalid'),
  allowPrivate: push.allowPrivateEndpoints,
})
