import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentFolder, ensureAgents } from '../../scripts/lib/agents.mjs'
import type { Ask } from '../conformance/shapes.ts'
import { startModel, type Model } from '../support/agents/model/model.ts'
import { scriptOf, type Step } from '../support/agents/model/script.ts'
import { profileOf } from '../support/agents/profiles.ts'
import { cleanEnv, runCli, startServer, type Ran, type Server } from '../support/server.ts'
import { until, within } from '../support/until.ts'

const patience = 60
const longestRun = 150
const native = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`

/** A running `claude -p …`. */
export type Run = { readonly done: Promise<Ran>; kill(): void }

/** The real `claude` in its own terminal, the model it uses, and a server. */
export type Terminal = AsyncDisposable & {
  readonly server: Server
  readonly model: Model
  readonly workspace: string
  path(file: string): string
  text(file: string): Promise<string | null>
  /** Installs the hooks as a person does. */
  install(...flags: string[]): Promise<void>
  claude(args: readonly string[], ...steps: Step[]): Run
  openAsk(): Promise<Ask>
  answer(ask: Ask, answer: object): Promise<void>
  /** What the model was told about the results of its tools. */
  outcomes(): string[]
}

export async function sitAtTerminal(): Promise<Terminal> {
  await ensureAgents(['claude'])
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'sbt-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [home, workspace] = [join(folder, 'home'), join(folder, 'work')]
  await mkdir(workspace)
  const model = stack.use(await startModel())
  const server = stack.use(await startServer())
  const profile = profileOf('claude', { home, modelUrl: model.url })
  await mkdir(join(home, '.claude'), { recursive: true })
  const kept = stack.move()

  return {
    server,
    model,
    workspace,
    path: (file) => join(workspace, file),
    text: (file) => readFile(join(workspace, file), 'utf8').catch(() => null),
    async install(...flags) {
      const settings = join(home, '.claude', 'settings.json')
      await writeFile(settings, JSON.stringify({ includeCoAuthoredBy: false }))
      const env = cleanEnv({ SIGNALBOX_HOME: server.home, CLAUDE_CONFIG_DIR: join(home, '.claude') })
      const { code, stderr } = await runCli(['hook', 'install', 'claude', ...flags], env)
      if (code !== 0) throw new Error(`the hooks were not installed: ${stderr}`)
    },
    claude(args, ...steps) {
      const words = ['-p', scriptOf(...steps), ...args]
      const program = join(agentFolder('claude'), 'node_modules', native, 'claude')
      const child = spawn(program, words, { env: profile.env, cwd: workspace, stdio: ['ignore', 'pipe', 'pipe'] })
      const told = { stdout: '', stderr: '' }
      child.stdout.on('data', (chunk) => (told.stdout += String(chunk)))
      child.stderr.on('data', (chunk) => (told.stderr += String(chunk)))
      const ended = new Promise<Ran>((resolve, reject) => {
        child.on('error', reject)
        child.on('close', (code) => resolve({ code, ...told }))
      })
      const done = within(ended, 'the end of claude', longestRun).finally(() => child.kill('SIGKILL'))
      return { done, kill: () => child.kill('SIGKILL') }
    },
    openAsk: () =>
      until(async () => (await server.api().get<{ asks: Ask[] }>('/api/asks?status=open')).asks[0] ?? null, {
        seconds: patience,
        what: 'an ask of claude',
      }),
    async answer(ask, answer) {
      await server.api().post(`/api/asks/${ask.id}/answer`, answer)
    },
    outcomes: () =>
      (model.requests().at(-1)?.talk.items ?? []).flatMap((item) => (item.kind === 'outcome' ? [item.text] : [])),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
