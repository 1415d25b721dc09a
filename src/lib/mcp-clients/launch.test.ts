import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { launchOf } from './launch.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-launch-'))
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist', 'signalbox.js'), '')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const commandOf = (program: string, platform: NodeJS.Platform = 'linux') => {
  const { command, args } = launchOf(['mcp'], {}, { program, node: '/bin/node', platform })
  return [command, ...args]
}

describe('how a client starts us', () => {
  it('is the clone’s script in a clone', () => {
    mkdirSync(join(root, 'src'))
    writeFileSync(join(root, 'signalbox'), '')
    expect(commandOf(join(root, 'dist', 'signalbox.js'))).toEqual([join(root, 'signalbox'), 'mcp'])
  })

  it('is the package’s link if it was called by it', () => {
    symlinkSync(join(root, 'dist', 'signalbox.js'), join(root, 'bin'))
    expect(commandOf(join(root, 'bin'))).toEqual([join(root, 'bin'), 'mcp'])
  })

  it('is Node with the program elsewhere', () => {
    const program = join(root, 'dist', 'signalbox.js')
    expect(commandOf(program)).toEqual(['/bin/node', program, 'mcp'])
    expect(commandOf(program, 'win32')).toEqual(['/bin/node', program, 'mcp'])
  })
})
