import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { Fault } from './result.ts'

type ProcessVariables = Readonly<Record<string, string | undefined>>

/** The default search path of the system if PATH is not set. */
const usualPath = '/usr/bin:/bin'

/** Resolves a program's name as the system would; null if there is nothing to run. */
export const findProgram = (name: string, cwd: string, env: ProcessVariables): string | null =>
  placesOf(name, cwd, env).find(isRunnable) ?? null

/** Why there is nothing to run; shells distinguish the two as 127 and 126. */
export function noProgram(name: string, cwd: string, env: ProcessVariables): Fault & { kind: 'invalid' } {
  const there = placesOf(name, cwd, env).find((place) => statOf(place) !== null)
  if (there === undefined)
    return {
      kind: 'invalid',
      code: 'program_not_found',
      message: `${name}: command not found`,
      hint: name.includes('/') ? 'Check its path.' : 'Install it, or give its full path.',
    }
  const isDirectory = statOf(there)?.isDirectory() ?? false
  return {
    kind: 'invalid',
    code: 'program_not_executable',
    message: isDirectory ? `${there} is a directory.` : `${there} is not executable.`,
    hint: isDirectory
      ? 'Give the path of a program.'
      : 'Make it executable (chmod +x), or run it with its interpreter.',
  }
}

function placesOf(name: string, cwd: string, env: ProcessVariables): string[] {
  if (name.includes('/')) return [isAbsolute(name) ? name : resolve(cwd, name)]
  return (env['PATH'] ?? usualPath).split(delimiter).map((folder) => join(resolve(cwd, folder), name))
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function statOf(path: string): ReturnType<typeof statSync> | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}
