import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withProgramName, setProgramName, programName } from './program-name.ts'

let home = ''
const program = () => join(home, 'dist', 'signalbox.js')
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-called-'))
  mkdirSync(join(home, 'dist'))
  writeFileSync(program(), '')
})
afterEach(() => {
  rmSync(join(home, 'src'), { recursive: true, force: true })
  setProgramName(program(), {})
  rmSync(home, { recursive: true })
})

it('lines to copy name the command as it is called: by its path in a clone', () => {
  setProgramName(program(), {})
  expect([programName(), withProgramName('See: signalbox asks')]).toEqual(['signalbox', 'See: signalbox asks'])
  mkdirSync(join(home, 'src'))
  setProgramName(program(), {})
  expect([
    programName(),
    withProgramName('See: signalbox asks, signalbox --help. /run/signalbox sock, signalbox.'),
  ]).toEqual(['./signalbox', 'See: ./signalbox asks, ./signalbox --help. /run/signalbox sock, signalbox.'])
})

it('a clone on the PATH is called by its name', () => {
  mkdirSync(join(home, 'src'))
  const env = { PATH: `/bin:${home}`, SIGNALBOX_CALLED_AS: join(home, 'signalbox') }
  setProgramName(program(), env)
  expect([programName(), 'SIGNALBOX_CALLED_AS' in env]).toEqual(['signalbox', false])
  setProgramName(program(), { PATH: '/bin', SIGNALBOX_CALLED_AS: join(home, 'signalbox') })
  expect(programName()).toBe('./signalbox')
})
