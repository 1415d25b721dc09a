import { statSync } from 'node:fs'
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { findProgram } from '../lib/find-program.ts'
import { fail, ok, type Failed, type Result } from '../lib/result.ts'
import { childVariable } from '../lib/process-list.ts'
import { pipesOnly, privateFiles } from './private-files.ts'
import type { ChildSpec } from './protocol/types.ts'

export type LaunchedChild = { process: ChildProcessWithoutNullStreams; pid: number }

/** Starts a child in its own session, with its mark and with only its own environment. */
export async function launch(spec: ChildSpec, mark: string): Promise<Result<LaunchedChild>> {
  const [name] = spec.argv
  if (!isDirectory(spec.cwd)) return spawnFailed(name, `directory ${spec.cwd} not found`)
  const file = findProgram(name, spec.cwd, spec.env)
  if (!file) return notFoundProgram(name)
  try {
    const [program, args] = commandOf(spec, file)
    using streams = pipesOnly(privateFiles.list())
    const child = spawn(program, args, {
      cwd: spec.cwd,
      env: { ...spec.env, [childVariable]: mark },
      detached: true,
      stdio: streams.stdio,
    })
    if (child.pid !== undefined && hasPipes(child)) return ok({ process: child, pid: child.pid })
    const [error]: unknown[] = await once(child, 'error').catch((failure: unknown) => [failure])
    return refused(name, error)
  } catch (error) {
    return refused(name, error)
  }
}

const hasPipes = (child: ChildProcess): child is ChildProcessWithoutNullStreams =>
  child.stdin !== null && child.stdout !== null && child.stderr !== null

/** One pipe for stdout and stderr keeps them in order. Only a shell can join them; the program replaces it. */
function commandOf({ argv, output }: ChildSpec, file: string): [string, string[]] {
  const [name, ...args] = argv
  return output === 'acknowledged' ? [name, args] : ['/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', file, ...args]]
}

function refused(name: string, error: unknown): Result<never> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' || code === 'EACCES') return notFoundProgram(name)
  return spawnFailed(name, error instanceof Error ? error.message : String(error))
}

export const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const notFoundProgram = (name: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'agent_not_found',
    message: `${name}: command not found`,
    hint: name.includes('/')
      ? 'Check that the file exists and is executable, and that its interpreter exists.'
      : 'Install it, or put its folder on the PATH of the server.',
  })

export const spawnFailed = (name: string, reason: string): Failed =>
  fail({ kind: 'unavailable', code: 'spawn_failed', message: `${name} could not be started: ${reason}.` })
