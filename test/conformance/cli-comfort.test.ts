// What people meet every day at the command line: completion, errors in the configuration, what the server uses.
import { execFile } from 'node:child_process'
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type Server } from '../support/server.ts'
import { newAgent, startSession } from './work.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const program = join(root, 'dist/signalbox.js')

describe('every day at the command line', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer({})
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('B16 the Tab key in bash offers ids of the server with the values of the command', async () => {
    const session = await startSession(await newAgent(server), { prompt: 'Paint the fence' })
    const { stdout: script } = await server.cli('completion', 'bash')
    const tab = async (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ')
      const ask = `signalbox() { '${process.execPath}' '${program}' "$@"; }\n${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout } = await execute('bash', ['-c', ask], { env: { ...process.env, SIGNALBOX_HOME: server.home } })
      return stdout.trim().split('\n')
    }
    expect(await tab('signalbox', 'sessions', 'show', '')).toContain(session.id.slice(0, 8))
    expect(await tab('signalbox', 'sessions', 'sh')).toEqual(['show'])
    expect(await tab('signalbox', 'mcp', 'install', 'claude', '--scope', '')).toEqual(['user', 'project'])
    expect(await tab('signalbox', 'tokens', 'create', '--scope', 'r')).toEqual(['read'])
  })

  it('B16 config show is what the running server uses; an error in the file locks nobody out', async () => {
    const shown = await server.cli('config', 'show', '--json')
    const { values } = JSON.parse(shown.stdout) as { values: Record<string, { value: unknown }> }
    await appendFile(join(server.home, 'config.toml'), '\n[stall]\ninactivity_threshold_seconds = 77\n')
    const again = JSON.parse((await server.cli('config', 'show', '--json')).stdout) as { values: typeof values }
    expect(again.values['stall.inactivity_threshold_seconds']).toEqual(values['stall.inactivity_threshold_seconds'])
    const local = JSON.parse((await server.cli('config', 'show', '--local', '--json')).stdout) as {
      values: typeof values
    }
    expect(local.values['stall.inactivity_threshold_seconds']?.value).toBe(77)

    await writeFile(join(server.home, 'config.toml'), 'htp_port = 1\n')
    const status = await server.cli('status')
    expect(status).toMatchObject({ code: 0, stderr: expect.stringContaining('config check') })
    expect((await server.cli('config', 'check')).code).toBe(1)
    await writeFile(join(server.home, 'config.toml'), '')
  })

  it('B16 tokens can only read and expire, unless asked otherwise; a date is a local day', async () => {
    const made = async (...args: string[]) =>
      JSON.parse((await server.cli('tokens', 'create', '--json', '--name', ...args)).stdout) as {
        scope: string
        expiresAt: string | null
      }
    const usual = await made('usual')
    expect(usual.scope).toBe('read')
    const days = (Date.parse(usual.expiresAt ?? '') - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(90)
    expect(await made('ever', '--expires', 'never')).toMatchObject({ expiresAt: null })
    const day = new Date(new Date().getFullYear() + 1, 0, 31)
    expect((await made('day', '--expires', `${day.getFullYear()}-01-31`)).expiresAt).toBe(day.toISOString())
  })

  it('B16 hints name the command as it was called: by its path, or found on the PATH', async () => {
    const bin = join(server.home, 'bin')
    await mkdir(bin)
    await symlink(join(root, 'signalbox'), join(bin, 'signalbox'))
    const env = { ...process.env, SIGNALBOX_HOME: join(server.home, 'none'), PATH: `${bin}:${process.env['PATH']}` }
    const hintOf = async (command: string) => {
      const failed: unknown = await execute('sh', ['-c', `${command} status`], { env, cwd: root }).catch(
        (error: unknown) => error,
      )
      return failed instanceof Error && 'stderr' in failed ? String(failed.stderr) : ''
    }
    expect(await hintOf('signalbox')).toContain('with: signalbox serve')
    expect(await hintOf('./signalbox')).toContain('with: ./signalbox serve')
  })
})
