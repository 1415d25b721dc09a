import { spawn } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { fail, ok, type Result } from '../../lib/result.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { expectedOf, type DirectoryMark } from '../../lib/directory-mark.ts'
import { bestHold, openDirectory } from './held-directory.ts'
import { ifErrno } from './errno.ts'
import { replacedWorkspace, workspaceMissing } from './faults.ts'

/** A command that may be run remotely: its words, or a shell script if its entry says so. */
export type Runnable = { readonly argv: readonly string[] } | { readonly script: string }

export type CommandResult = {
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
  /** The mark of the directory when its session began, if it belongs to a session. */
  mark?: DirectoryMark | null
  /** Ends everything the process started; by default, its process group. */
  endAll?(pid: number): Promise<void>
}

const graceMs = 200

/** Runs a command for at most a minute; everything it started ends with it (R21). */
export async function runCommand(
  what: Runnable,
  cwd: string,
  options: RunOptions = {},
): Promise<Result<CommandResult>> {
  const { env = process.env, timeMs = longestMs, bytes = mostBytes, endAll = endGroup } = options
  const [program = '', ...args] = 'script' in what ? ['/bin/sh', '-c', what.script] : what.argv
  const place = await holdDirectory(cwd, options.mark)
  if (!place.ok) return place
  await using held = place.value
  const began = performance.now()
  return await new Promise<Result<CommandResult>>((resolve) => {
    // Its own process group, so that all of it can be ended.
    const child = spawn(program, args, { cwd: held.path, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
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
      resolve(couldNotRun(program, error))
    })
    child.on('exit', (exitCode) => {
      clearTimeout(timer)
      void finish(exitCode)
    })

    /** Background processes could keep our pipes open forever, so they are ended after a moment. */
    async function finish(exitCode: number | null): Promise<void> {
      const closed = new Promise<void>((done) => void child.once('close', () => done()))
      await withTimeLimit(closed, graceMs)
      await end()
      await withTimeLimit(closed, graceMs)
      child.stdout.destroy()
      child.stderr.destroy()
      const seconds = Math.round(performance.now() - began) / 1000
      const truncated = out.cut() || err.cut()
      resolve(ok({ exitCode, stdout: out.text(), stderr: err.text(), truncated, timedOut, seconds }))
    }
  })
}

/** Holds the directory until the command has ended, so that it can't be swapped. */
async function holdDirectory(
  cwd: string,
  mark: DirectoryMark | null | undefined,
): Promise<Result<AsyncDisposable & { path: string }>> {
  const real = await realpath(cwd).catch(() => null)
  if (real === null) return workspaceMissing(cwd)
  const expected = mark === undefined ? { real, identity: null } : expectedOf(cwd, mark)
  if (real !== expected.real) return replacedWorkspace(cwd)
  const held = await openDirectory(bestHold(), real).catch(ifErrno(['ENOENT', 'ENOTDIR', 'ELOOP'], null))
  if (held === null) return workspaceMissing(cwd)
  const isSame = expected.identity === null || (await held.identity()) === expected.identity
  if (isSame && (await held.where()) === real)
    return ok({ path: held.entry('.'), [Symbol.asyncDispose]: () => held.close() })
  await held.close()
  return replacedWorkspace(cwd)
}

async function endGroup(pid: number): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}

/** Reads all output, so that a full pipe never blocks the program, and keeps it up to the limit. */
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

const couldNotRun = (program: string, error: Error) =>
  fail({
    kind: 'unavailable',
    code: 'command_not_run',
    message: `${program} could not be run: ${error.message}.`,
    hint: 'Check the entry under [commands] in config.toml.',
  })
