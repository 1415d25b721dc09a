import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { confineCommand } from './launch.ts'

const env = { PATH: '/usr/bin:/bin' }
const none = { wrap: [], entrance: [], relay: null }

describe('a command with variables from the agent', () => {
  it('gets them inside the sandbox, and the sandbox itself does not', () => {
    const launch = { ...none, wrap: ['bwrap', '--ro-bind', '/', '/'], env }
    const { argv, env: outside } = confineCommand(launch, ['ls', '-l'], { LD_PRELOAD: '/w/evil.so', A: 'b' })
    expect(outside).toEqual(env)
    expect(argv.join(' ')).toBe('bwrap --ro-bind / / -- /usr/bin/env LD_PRELOAD=/w/evil.so A=b ls -l')
  })

  it('goes through the entrance, with its session’s relay', () => {
    const relay = { socket: '/r', ports: [], gate: null, outside: null }
    const launch = { wrap: ['bwrap'], entrance: ['/bin/sh', '-c', 'x'], relay, env }
    expect(confineCommand(launch, ['ls'], {})).toEqual({
      argv: ['bwrap', '--', '/bin/sh', '-c', 'x', 'ls'],
      env,
      relay,
    })
  })

  it('gets them from env(1) without a sandbox', () => {
    const { argv, env: outside } = confineCommand({ ...none, env }, ['printenv', 'A'], { A: 'b c' })
    expect(outside).toEqual(env)
    expect(execFileSync(argv[0], argv.slice(1), { env: outside, encoding: 'utf8' })).toBe('b c\n')
  })

  it('is run by its own name, even if that looks like a variable', () => {
    const { argv } = confineCommand({ ...none, env }, ['X=y', 'true'], { A: 'b' })
    expect(() => execFileSync(argv[0], argv.slice(1), { env, stdio: 'pipe' })).toThrow(/X=y: not found|not found/)
  })

  it('is left as it is if it has none', () => {
    expect(confineCommand({ ...none, env }, ['make'], {})).toEqual({ argv: ['make'], env })
  })
})
