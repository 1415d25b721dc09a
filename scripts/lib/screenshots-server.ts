import { startServer, type Server } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'
import type { ScreenshotRepos } from './screenshots-repos.ts'

type Id = { id: string }
type Ask = Id & { title: string }

/** A server with sample data: open asks, past work and earlier decisions. */
export type ScreenshotServer = AsyncDisposable & {
  readonly server: Server
  readonly diffAsk: string
  readonly session: string
  readonly terminal: string
}

/** The policy of `depot`, with these commands. */
export const policyOf = (commands: string): string => `{
  "enabled": true,
  "commands": [${commands}],
  "tools": [],
  "file_patterns": { "write": ["docs/**"], "read": ["**"] },
  "risk_level_threshold": "low"
}
`

const config = (agent: string) => `max_concurrent_sessions = 50
[acp]
isolation = "none"
on_stop = "end"
[stall]
enabled = false
[terminal]
ask_after_seconds = 0
[commands]
test = "npm test"
types = "npm run types"
status = "git status"
[agents.builder]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(agent)}]
`

export async function startScreenshotServer(repos: ScreenshotRepos, agent: string): Promise<ScreenshotServer> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startServer({ config: config(agent), env: { AGENT_WORKSPACE_ROOT: repos.path } }))
  const owner = server.api()
  const { user } = await owner.get<{ user: Id }>('/api/me')
  await owner.patch(`/api/users/${user.id}`, { displayName: 'Operator' })
  const repoIds: Record<string, string> = {}
  for (const name of ['depot', 'signals', 'tickets'] as const)
    repoIds[name] = (await owner.post<Id>('/api/repos', { path: repos.at(name), name })).id

  const connect = (agentName: string, repo: 'depot' | 'signals' | 'tickets', prompt: string) =>
    owner.post<Id>('/api/sessions', {
      protocolMode: 'mcp',
      repoId: repoIds[repo],
      workspaceRoot: repos.at(repo),
      agent: agentName,
      prompt,
    })
  const ask = (session: Id, title: string, subject: object, more: object = {}) =>
    owner.post<Ask>(`/api/sessions/${session.id}/asks`, { title, subject, ...more })
  const answer = (id: string, body: object) => owner.post(`/api/asks/${id}/answer`, body)
  const nextAsk = (sessionId: string, title: RegExp) =>
    until(
      async () => {
        const { asks } = await owner.get<{ asks: Ask[] }>(`/api/asks?status=open&sessionId=${sessionId}`)
        return asks.find((open) => title.test(open.title)) ?? null
      },
      { what: `the ask ${title}`, seconds: 30 },
    )

  // Earlier decisions, for the back-test.
  const earlier = await connect('packer', 'depot', 'Keep the tests green')
  const past: readonly (readonly [string, 'approve' | 'reject'])[] = [
    ...Array.from({ length: 9 }, () => ['npm test', 'approve'] as const),
    ...Array.from({ length: 4 }, () => ['npm run types', 'approve'] as const),
    ['npm install left-over', 'reject'],
    ['npm run types', 'reject'],
    ['git push --force', 'reject'],
  ]
  for (const [command, outcome] of past) {
    const { id } = await ask(earlier, `Run ${command}`, { kind: 'command', command, cwd: repos.at('depot') })
    await answer(id, { outcome })
  }
  await owner.post(`/api/sessions/${earlier.id}/complete`)
  const settings = policyOf('"npm test"')
  await owner.send('PUT', '/api/policy', { body: { workspaceRoot: repos.at('depot'), settings, expected: null } })

  // The terminal first: dangerous asks that waited longest are at the top.
  const terminal = await owner.post<{ sessionId: string }>('/api/terminals', {
    sessionType: 'script',
    command: ['./migrate', 'staging'],
    cwd: repos.at('tickets'),
    name: 'migrate staging',
    cols: 80,
    rows: 32,
  })
  stack.defer(() => owner.post(`/api/terminals/${terminal.sessionId}/end`).then(() => undefined))
  await nextAsk(terminal.sessionId, /Drop/)

  const packer = await connect('packer', 'tickets', 'Free disk space on the staging host')
  await ask(
    packer,
    'Remove last year’s images',
    { kind: 'command', command: 'docker image prune --all --force --filter until=8760h', cwd: repos.at('tickets') },
    { riskLevel: 'critical', description: 'The staging disk is 97% full. No running container uses these images.' },
  )

  const porter = await connect('porter', 'depot', 'Fill the sidings better: least room left first')
  const diff = await ask(
    porter,
    'Give each wagon the siding with the least room left',
    { kind: 'diff', filePath: 'src/siding.ts', diff: repos.diff },
    {
      riskLevel: 'high',
      origin: 'ask_approval',
      description: 'Wagons that fit **exactly** were refused, and the gap of the couplings was not counted.',
    },
  )

  const builder = await owner.post<Id>('/api/sessions', {
    repoId: repoIds['signals'],
    agent: 'builder',
    prompt: 'Two free blocks show yellow. Find the bug and fix it.',
  })
  for (const title of [/Edit src/, /Run npm/]) {
    const { id } = await nextAsk(builder.id, title)
    await answer(id, { outcome: 'approve' })
  }
  await nextAsk(builder.id, /git commit/)

  const clerk = await connect('clerk', 'tickets', 'Move the fares of the night trains to the new table')
  await ask(clerk, 'Continue with the other 14 lines?', {
    kind: 'prompt',
    text: 'The fares of 6 of 20 lines are moved and checked. Two of them had no price for children: I took half.',
    elapsedSeconds: 1140,
    actionsTaken: 37,
  })
  await ask(packer, 'Which class do old tickets belong to?', {
    kind: 'question',
    question: 'Tickets from before the reform have no class.',
    options: [
      { label: 'Second', value: 'second' },
      { label: 'Leave it empty', value: 'none' },
    ],
  })
  const kept = stack.move()
  return {
    server,
    diffAsk: diff.id,
    session: builder.id,
    terminal: terminal.sessionId,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
