import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { fail, type Failed } from '../lib/result.ts'

/** Where the system looks when the environment has no PATH. */
const usualPath = '/usr/bin:/bin'

/** The file a program's name stands for, found as the system would find it; null where there is none to run. */
export function findProgram(name: string, cwd: string, env: Readonly<Record<string, string>>): string | null {
  if (name.includes('/')) return firstRunnable([isAbsolute(name) ? name : resolve(cwd, name)])
  const folders = (env['PATH'] ?? usualPath).split(delimiter)
  return firstRunnable(folders.map((folder) => join(resolve(cwd, folder), name)))
}

const firstRunnable = (files: readonly string[]): string | null => files.find(isRunnable) ?? null

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

export const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

export const notFoundProgram = (name: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'agent_not_found',
    message: `There is no program ${name} that can be run here.`,
    hint: name.includes('/')
      ? 'Check that the file exists, may be executed, and that the interpreter it names exists.'
      : 'Install it, or put its folder on the PATH of the server.',
  })

export const spawnFailed = (name: string, reason: string): Failed =>
  fail({ kind: 'unavailable', code: 'spawn_failed', message: `${name} could not be started: ${reason}.` })
