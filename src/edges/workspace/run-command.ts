import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { fail, ok, type Result } from '../../lib/result.ts'
import { within } from '../../lib/within.ts'
import { workspaceMissing } from './faults.ts'

/** A command that may be run remotely: its words, or a line for a shell where the entry says so. */
export type Runnable = { readonly argv: readonly string[] } | { readonly script: string }

export type Ran = {
  exitCode: number | null
  stdout: string
  stderr: string
  truncated: boolean
  timedOut: boolean
  seconds: number
}

const longestMs = 60_000
const mostBytes = 64 * 1024

export type RunOptions = {
  env?: NodeJS.ProcessEnv
  timeMs?: number
  bytes?: number
  /** Ends whatever the process started; without it, its group. */
  endAll?(pid: number): Promise<void>
}

const graceMs = 200

/** Runs it to its end, for a minute at most; what it started ends with it (R21). */
export function runCommand(what: Runnable, cwd: string, options: RunOptions = {}): Promise<Result<Ran>> {
  const { env = process.env, timeMs = longestMs, bytes = mostBytes, endAll = endGroup } = options
  const [program = '', ...args] = 'script' in what ? ['/bin/sh', '-c', what.script] : what.argv
  if (!existsSync(cwd)) return Promise.resolve(workspaceMissing(cwd))
  const began = performance.now()
  return new Promise((resolve) => {
    // A group of its own, so that all of it can be ended.
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const out = collect(child.stdout, bytes)
    const err = collect(child.stderr, bytes)
    let timedOut = false
    const end = () => (child.pid === undefined ? Promise.resolve() : endAll(child.pid))
    const timer = setTimeout(() => {
      timedOut = true
      void end()
    }, timeMs)
    child.on('error', (error) => {
      clearTimeout(timer)
      resolve(notRun(program, error))
    })
    child.on('exit', (exitCode) => {
      clearTimeout(timer)
      void finish(exitCode)
    })

    /** Who went on in the background would hold our pipes open for ever: it has a moment, then it ends too. */
    async function finish(exitCode: number | null): Promise<void> {
      const closed = new Promise<void>((done) => void child.once('close', () => done()))
      await within(closed, graceMs)
      await end()
      await within(closed, graceMs)
      child.stdout.destroy()
      child.stderr.destroy()
      const seconds = Math.round(performance.now() - began) / 1000
      const truncated = out.cut() || err.cut()
      resolve(ok({ exitCode, stdout: out.text(), stderr: err.text(), truncated, timedOut, seconds }))
    }
  })
}

async function endGroup(pid: number): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it is gone already.
  }
}

/** Read to the end whatever it is, so that the program is never stopped by a full pipe; kept up to the limit. */
function collect(stream: NodeJS.ReadableStream, most: number) {
  const decoder = new StringDecoder('utf8')
  let text = ''
  let left = most
  let cut = false
  stream.on('data', (chunk: Buffer) => {
    cut ||= chunk.length > left
    text += decoder.write(chunk.subarray(0, left))
    left -= Math.min(left, chunk.length)
  })
  return { text: () => text + (cut ? '' : decoder.end()), cut: () => cut }
}

const notRun = (program: string, error: Error) =>
  fail({
    kind: 'unavailable',
    code: 'command_not_run',
    message: `${program} could not be run: ${error.message}.`,
    hint: 'Check the entry under [commands] in config.toml.',
  })
