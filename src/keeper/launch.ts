import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { findProgram } from '../lib/find-program.ts'
import { ok, type Result } from '../lib/result.ts'
import { childVariable } from './place.ts'
import { pipesOnly, privateFiles } from './private-files.ts'
import { isDirectory, notFoundProgram, spawnFailed } from './program.ts'
import type { ChildSpec } from './types.ts'

export type Launched = { process: ChildProcessWithoutNullStreams; pid: number }

/** Starts a child in a session of its own, with its mark and with no other environment than its own. */
export async function launch(spec: ChildSpec, mark: string): Promise<Result<Launched>> {
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

/** One pipe for stdout and stderr keeps them in order, and only a shell joins them; it is replaced by the program. */
function commandOf({ argv, output }: ChildSpec, file: string): [string, string[]] {
  const [name, ...args] = argv
  return output === 'acknowledged' ? [name, args] : ['/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', file, ...args]]
}

function refused(name: string, error: unknown): Result<never> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' || code === 'EACCES') return notFoundProgram(name)
  return spawnFailed(name, error instanceof Error ? error.message : String(error))
}
