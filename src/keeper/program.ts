import { statSync } from 'node:fs'
import { fail, type Failed } from '../lib/result.ts'

export const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

export const notFoundProgram = (name: string): Failed =>
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
