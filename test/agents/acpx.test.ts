import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { agentProgram, ensureAgents } from '../../scripts/lib/agents.mjs'
import { cleanEnv, startServer } from '../support/server.ts'

const signalbox = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
const practice = fileURLToPath(new URL('../../dist/practice-agent.js', import.meta.url))

type Message = {
  method?: string
  params?: { update?: { sessionUpdate: string; status?: string; content?: { text?: string } } }
  result?: { stopReason?: string }
}

type Approval = '--approve-all' | '--deny-all'

/** One prompt from a third-party client to the practice agent; returns every message of both sides. */
const drive = (workspace: string, answer: Approval, prompt: string): Promise<Message[]> =>
  driveProgram([process.execPath, practice, '--fast'], workspace, answer, prompt)

async function driveProgram(
  command: readonly string[],
  workspace: string,
  answer: Approval,
  prompt: string,
): Promise<Message[]> {
  await ensureAgents(['acpx'])
  const agent = command.map((part) => JSON.stringify(part)).join(' ')
  const plain = ['--format', 'json', '--json-strict', '--no-fs', '--no-terminal', '--timeout', '60']
  const args = [agentProgram('acpx'), '--cwd', workspace, answer, ...plain, '--agent', agent, 'exec', prompt]
  const env = cleanEnv({ HOME: join(workspace, '.home') })
  // Its exit code after a refusal is its own choice, so it is not checked.
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { env }, (_error, printed) => resolve(printed))
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Message)
}

async function freshWorkspace() {
  const path = await mkdtemp(join(tmpdir(), 'sb-acpx-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const updates = (messages: Message[]) => messages.flatMap(({ params }) => params?.update ?? [])
const textOf = (messages: Message[]) =>
  updates(messages)
    .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    .map(({ content }) => content?.text ?? '')
const stopReasons = (messages: Message[]) => messages.flatMap(({ result }) => result?.stopReason ?? [])
const statuses = (messages: Message[]) => updates(messages).flatMap(({ status }) => status ?? [])

describe('the practice agent, driven by acpx', () => {
  it('answers a prompt, writes a file if allowed, and ends its turn', async () => {
    await using workspace = await freshWorkspace()
    const messages = await drive(workspace.path, '--approve-all', '/say good morning\n/write notes.txt from practice')
    expect(textOf(messages)).toContain('good morning')
    expect(messages.filter(({ method }) => method === 'session/request_permission')).toHaveLength(1)
    expect(statuses(messages).at(-1)).toBe('completed')
    expect(readFileSync(join(workspace.path, 'notes.txt'), 'utf8')).toBe('from practice\n')
    expect(stopReasons(messages)).toEqual(['end_turn'])
  })

  it('writes nothing if refused, and ends its turn', async () => {
    await using workspace = await freshWorkspace()
    const messages = await drive(workspace.path, '--deny-all', '/write notes.txt from practice')
    expect(statuses(messages).at(-1)).toBe('failed')
    expect(existsSync(join(workspace.path, 'notes.txt'))).toBe(false)
    expect(stopReasons(messages)).toEqual(['end_turn'])
  })
})

describe('Signalbox, driven by acpx', () => {
  it('B20 a client that nobody here wrote starts a session, approves a file and ends its turn', async () => {
    await ensureAgents(['acpx'])
    await using workspace = await freshWorkspace()
    await using server = await startServer({ env: { HOME: join(workspace.path, '.home') } })
    const command = [
      process.execPath,
      signalbox,
      'acp',
      '--agent',
      'practice',
      '--isolation',
      'none',
      '--home',
      server.home,
    ]
    const messages = await driveProgram(command, workspace.path, '--approve-all', '/write notes.txt from afar')
    expect(stopReasons(messages)).toEqual(['end_turn'])
    expect(readFileSync(join(workspace.path, 'notes.txt'), 'utf8')).toBe('from afar\n')
    const { sessions } = await server.api().get<{ sessions: { workspaceRoot: string }[] }>('/api/sessions')
    expect(sessions).toHaveLength(1)
    expect((await server.cli('stop', '--yes')).code).toBe(0)
  })
})
