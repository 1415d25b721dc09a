import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentProgram, ensureAgents, pins } from '../../scripts/lib/agents.mjs'
import { startModel } from '../support/agents/model/model.ts'
import { scriptOf, type Step } from '../support/agents/model/script.ts'
import { engineSocket } from '../support/engines.ts'
import { long } from '../support/scale.ts'
import { until } from '../support/until.ts'
import type { OpenAsk, QueueItem } from '../conformance/agents-harness.ts'
import type { SessionDetail } from '../conformance/shapes.ts'
import { startServer } from '../support/server.ts'
import { engines } from './container-harness.ts'

const key = 'sk-real-key-of-the-operator'
type Agent = 'opencode' | 'claude'

/** The agents as an operator sets them up: their program on this machine, their provider behind the gate. */
function configOf(agent: Agent, engine: string, modelUrl: string): string {
  const program = agentProgram(agent)
  const start = pins[agent].node
    ? `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([program])}\n`
    : `command = ${JSON.stringify(program)}\n`
  const provider = agent === 'claude' ? 'anthropic' : 'fake'
  const content = {
    autoupdate: false,
    share: 'disabled',
    model: 'fake/fake-model',
    small_model: 'fake/fake-model',
    enabled_providers: ['fake'],
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: 'http://127.0.0.1:61082/provider/fake/v1', apiKey: 'none' },
        models: {
          'fake-model': { name: 'Scripted model', tool_call: true, limit: { context: 200_000, output: 8000 } },
        },
      },
    },
    permission: { edit: 'ask', bash: 'ask' },
  }
  const env = {
    opencode: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(content),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    claude: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ENABLE_TOOL_SEARCH: 'false' },
  }[agent]
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return (
    `[acp]\nstartup_timeout_seconds = 120\n[agents.${agent}]\npreset = "${agent}"\n${start}env = { ${variables.join(', ')} }\n` +
    `[containers]\nengine = ${JSON.stringify(engine)}\n` +
    `providers = [{ name = "${provider}", base_url = "${modelUrl}", key = "env:OPERATORS_KEY" }]\n`
  )
}

const tried = engines.flatMap((engine) =>
  (['opencode', 'claude'] as const).map((agent) => Object.assign({ agent }, engine)),
)

describe.each(tried.filter((_, index) => long || index < 2))(
  '$agent in a container of $name',
  ({ name, agent, missing }) => {
    it.skipIf(missing !== null)(
      'C9 writes what was approved and runs a command, with a model behind the gate whose key it never has',
      async () => {
        await ensureAgents([agent])
        const folder = await realpath(await mkdtemp(join(tmpdir(), 'sbk-')))
        await using stack = new AsyncDisposableStack()
        stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
        const model = stack.use(await startModel())
        const server = stack.use(
          await startServer({
            config: configOf(agent, engineSocket(name), model.url),
            env: { OPERATORS_KEY: key, HOME: folder },
          }),
        )
        const api = server.api()
        stack.defer(async () => void (await api.send('POST', '/api/stop', { body: { agents: 'end' } })))
        const workspace = join(folder, 'work')
        await mkdir(workspace)
        const session = await api.post<{ id: string; isolation: string }>('/api/sessions', {
          agent,
          workspaceRoot: workspace,
          isolation: 'container',
        })
        expect(session.isolation).toBe('container')
        const turn = async (...steps: Step[]) => {
          const item = await api.post<QueueItem>(`/api/sessions/${session.id}/prompt`, { text: scriptOf(...steps) })
          const answered = new Set<string>()
          await until(
            async () => {
              const { asks } = await api.get<{ asks: OpenAsk[] }>(`/api/asks?status=open&sessionId=${session.id}`)
              for (const ask of asks) {
                const option = ask.subject.options?.find(({ kind }) => kind === 'allow_once')
                const answer = option ? { outcome: 'select', optionId: option.optionId } : { outcome: 'approve' }
                await api.send('POST', `/api/asks/${ask.id}/answer`, { body: answer })
                answered.add(ask.id)
              }
              const { items } = await api.get<{ items: QueueItem[] }>(`/api/sessions/${session.id}/queue`)
              return items.some(({ id, status }) => id === item.id && status === 'delivered')
            },
            { seconds: 90, what: `the end of the turn of ${agent}` },
          )
          return answered.size
        }
        const path = join(workspace, 'written.txt')
        const asked = await turn({ write: { path, content: 'from the container\n' } }, { say: 'Written.' })
        expect(asked).toBeGreaterThan(0)
        expect(await readFile(path, 'utf8')).toBe('from the container\n')
        const wanted = `[${key[0]}]${key.slice(1)}`
        const look = `ls /sys/class/net > seen.txt; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '${wanted}' >> seen.txt; grep -rls '${wanted}' ~ . >> seen.txt; echo end >> seen.txt`
        await turn({ shell: { command: look } }, { say: 'Looked.' })
        expect(await readFile(join(workspace, 'seen.txt'), 'utf8')).toBe('lo\n0\nend\n')
        const { messages } = await api.get<SessionDetail>(`/api/sessions/${session.id}`)
        expect(JSON.stringify(messages)).toContain('Looked.')
        expect(model.requests().length).toBeGreaterThan(0)
        expect(await readdir(workspace)).toContain('written.txt')
      },
    )
  },
)
