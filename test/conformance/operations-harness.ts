import { freshPostgres } from '../support/postgres.ts'
import type { DatabaseKind } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openMcpHarness, type Agent, type McpHarness, type McpHarnessOptions } from './mcp-harness.ts'

export type Alert = {
  id: string
  sessionId: string
  cause: string
  status: string
  lastTool: string | null
  lastActivityAt: string
  idleSeconds: number
  nudgeCount: number
  nudgeMessage: string | null
  nextAt: string | null
  nudgedAt: string | null
  escalatedAt: string | null
  closedAt: string | null
  closedBy: string | null
  createdAt: string
}

/** Stall times in seconds; the nudge is a script that the practice agent performs. */
export const quick = {
  SIGNALBOX_STALL__INACTIVITY_THRESHOLD_SECONDS: '1',
  SIGNALBOX_STALL__ESCALATION_THRESHOLD_SECONDS: '1',
  SIGNALBOX_STALL__MAX_RETRIES: '2',
  SIGNALBOX_STALL__DEFAULT_NUDGE_MESSAGE: '/say I am back',
}

/** Without stall detection unless a test wants it. */
export async function openOperationsHarness(
  options: McpHarnessOptions & { database?: DatabaseKind } = {},
): Promise<McpHarness> {
  await using stack = new AsyncDisposableStack()
  const { database = 'sqlite', env, ...more } = options
  const postgres = database === 'postgres' ? stack.use(await freshPostgres()) : null
  const harness = stack.use(
    await openMcpHarness({
      places: 80,
      ...more,
      env: {
        SIGNALBOX_STALL__ENABLED: 'false',
        ...(postgres && { SIGNALBOX_DATABASE__URL: postgres.url }),
        ...env,
      },
    }),
  )
  const kept = stack.move()
  return { ...harness, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** A client whose turn has begun: it has called a tool. */
export async function working(harness: McpHarness): Promise<Agent> {
  const agent = await harness.connect()
  await agent.call('list_checkpoints')
  return agent
}

type Owner = McpHarness['owner']

export const alertsOf = async (owner: Owner, sessionId: string): Promise<Alert[]> =>
  (await owner.get<{ alerts: Alert[] }>(`/api/alerts?sessionId=${sessionId}&limit=100`)).alerts

/** A session's newest alert, once it matches; else once it is open. One from before the silence is closed. */
export const alertOf = (
  owner: Owner,
  sessionId: string,
  fits: (alert: Alert) => boolean = ({ closedAt }) => closedAt === null,
): Promise<Alert> =>
  until(
    async () => {
      const [newest] = await alertsOf(owner, sessionId)
      return newest && fits(newest) ? newest : null
    },
    { what: 'such an alert', seconds: 40 },
  )

export const is =
  (...statuses: string[]) =>
  ({ status }: { status: string }): boolean =>
    statuses.includes(status)

/** Messages from the server itself in a session. */
export const notes = async (harness: McpHarness, sessionId: string): Promise<string[]> =>
  (await harness.session(sessionId)).messages.flatMap(({ role, content }) =>
    role === 'system' && typeof content['text'] === 'string' ? [content['text']] : [],
  )
