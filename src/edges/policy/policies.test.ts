import { mkdirSync, mkdtempSync, linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PolicyTrust, Rule } from '../../domain/policy/schema.ts'
import { silentLogger } from '../../lib/log.ts'
import { ok } from '../../lib/result.ts'
import { createPolicies, type Policies } from './policies.ts'

let root: string
let warned: string[]
let confirmed: Rule[]
let registry: string[]
let trust: PolicyTrust | null
/** The last text in force; undefined: the current one. */
let counted: string | null | undefined
let policies: Policies

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-policy-'))
  warned = []
  confirmed = []
  registry = ['npm test']
  trust = { kind: 'repo', by: null, at: null }
  counted = undefined
  policies = createPolicies({
    put: async () => ok(undefined),
    registry: () => registry,
    confirmed: async () => confirmed,
    warn: (_root, text) => void warned.push(text),
    trust: async () => trust,
    observeBaseline: async (_root, settings) => ({
      settings: counted === undefined ? settings : counted,
      pendingSince: null,
    }),
    log: silentLogger,
    kept: [join(root, 'config.toml')],
  })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(settings: object | string, folder = '.signalbox'): void {
  mkdirSync(join(root, folder), { recursive: true })
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
  // As editors do: a new file replaces the old one.
  writeFileSync(join(root, folder, 'new'), text)
  renameSync(join(root, folder, 'new'), join(root, folder, 'settings.json'))
}
const rule = (command = 'npm test') => policies.judge(root, { kind: 'command', command }, 'low')
const mayWrite = (...paths: string[]) => policies.judge(root, { kind: 'files', access: 'write', paths }, 'low')

describe('the policy of a workspace', () => {
  it('makes nothing automatic without a file', async () => {
    expect(await rule()).toBeNull()
    expect(warned).toEqual([])
  })

  it('applies at once when it is written, changed and removed', async () => {
    expect(await rule()).toBeNull()
    write({ enabled: true, commands: ['npm *'] })
    expect(await rule()).toBe('command:npm *')
    write({ enabled: true, commands: ['n* *'] })
    expect(await rule()).toBe('command:n* *')
    write({ enabled: false, commands: ['npm *'] })
    expect(await rule()).toBeNull()
    rmSync(join(root, '.signalbox'), { recursive: true })
    expect(await rule()).toBeNull()
  })

  it('is found under the older name if there is no other', async () => {
    write({ enabled: true, commands: ['npm *'] }, '.monocoque')
    expect(await rule()).toBe('command:npm *')
    write({ enabled: false })
    expect(await rule()).toBeNull()
  })

  it('with faults makes nothing automatic, and warns once for each change', async () => {
    confirmed = [{ kind: 'command', pattern: 'npm test' }]
    write('{\n  "enable": true\n}')
    for (const _ of [1, 2, 3]) expect(await rule()).toBeNull()
    expect(warned).toEqual([expect.stringMatching(/has faults, so nothing is automatic: line 2: enable is not known/)])
    write('nonsense')
    await Promise.all([rule(), rule(), rule()])
    expect(warned).toHaveLength(2)
    write({ enabled: true, commands: ['npm *'] })
    expect(await rule()).not.toBeNull()
    expect(warned).toHaveLength(2)
  })

  it('does not fall back on the older file if the newer has faults', async () => {
    write({ enabled: true, commands: ['npm *'] }, '.monocoque')
    write('nonsense')
    expect(await rule()).toBeNull()
  })

  it('reports once which entries have no effect', async () => {
    write({ enabled: true, commands: ['npm *', 'rm *'] })
    await rule()
    await rule()
    expect(warned).toEqual([expect.stringMatching(/have no effect: rm \* \(it matches no command under \[commands\]/)])
  })

  it.each([
    ['a link', () => symlinkSync(join(root, 'elsewhere.json'), join(root, '.signalbox', 'settings.json'))],
    ['a directory', () => mkdirSync(join(root, '.signalbox', 'settings.json'))],
    ['too large', () => writeFileSync(join(root, '.signalbox', 'settings.json'), ' '.repeat(1024 * 1024 + 1))],
    ['not UTF-8', () => writeFileSync(join(root, '.signalbox', 'settings.json'), Buffer.from([0x7b, 0xff, 0x7d]))],
  ])('that is %s is not used', async (_what, make) => {
    writeFileSync(join(root, 'elsewhere.json'), JSON.stringify({ enabled: true, commands: ['npm *'] }))
    mkdirSync(join(root, '.signalbox'))
    make()
    expect(await rule()).toBeNull()
    expect(warned).toHaveLength(1)
  })

  it('in a directory that is a link is not used', async () => {
    write({ enabled: true, commands: ['npm *'] }, 'elsewhere')
    symlinkSync(join(root, 'elsewhere'), join(root, '.signalbox'))
    expect(await rule()).toBeNull()
    expect(warned[0]).toContain('it is a link')
  })

  it('includes confirmed rules, and notices when they change', async () => {
    expect(await rule('npm run lint')).toBeNull()
    confirmed = [{ kind: 'command', pattern: 'npm run lint' }]
    expect(await rule('npm run lint')).toBeNull()
    policies.invalidate(root)
    expect(await rule('npm run lint')).toBe('command:npm run lint')
    confirmed = []
    policies.invalidate()
    expect(await rule('npm run lint')).toBeNull()
  })

  it('notices when the registered commands change', async () => {
    write({ enabled: true, commands: ['*'] })
    expect(await rule('npm start')).toBeNull()
    registry = ['npm start']
    expect(await rule('npm start')).toBe('command:*')
    expect(await rule('npm test')).toBeNull()
  })
})

describe('a file', () => {
  beforeEach(() => write({ enabled: true, file_patterns: { write: ['docs/**', '*.toml'] } }))

  it('is automatic if no link leads to it', async () => {
    mkdirSync(join(root, 'docs', 'a'), { recursive: true })
    writeFileSync(join(root, 'docs', 'a', 'b.md'), '')
    expect(await mayWrite('docs/a/b.md')).toBe('file_pattern:write:docs/**')
    expect(await mayWrite('docs/new/c.md')).toBe('file_pattern:write:docs/**')
  })

  it('is asked about if one does', async () => {
    mkdirSync(join(root, '.git', 'hooks'), { recursive: true })
    mkdirSync(join(root, 'docs'))
    writeFileSync(join(root, '.git', 'config'), '')
    symlinkSync('../.git/hooks', join(root, 'docs', 'out'))
    symlinkSync('../.git/config', join(root, 'docs', 'c'))
    linkSync(join(root, '.git', 'config'), join(root, 'docs', 'd'))
    for (const path of ['docs/out/pre-commit', 'docs/c', 'docs/d']) expect(await mayWrite(path)).toBeNull()
  })

  it('of Signalbox itself is asked about', async () => {
    expect(await mayWrite('other.toml')).not.toBeNull()
    expect(await mayWrite('config.toml')).toBeNull()
  })
})

describe('the policy in force', () => {
  it('is shown with file, faults, ignored entries and confirmed rules', async () => {
    confirmed = [{ kind: 'tool', pattern: 't' }]
    write({ enabled: true, commands: ['rm *'] })
    expect(await policies.inForce(root)).toMatchObject({
      path: join(root, '.signalbox', 'settings.json'),
      file: { enabled: true },
      faults: [],
      ignored: [{ entry: 'rm *' }],
      rules: confirmed,
    })
  })

  it('can be tested before it applies', async () => {
    expect(await policies.replay(root, '{"enabled":', [], [])).toMatchObject({ fault: { code: 'policy_faulty' } })
    expect(await policies.replay(root, '{}', [], [])).toMatchObject({ value: { asks: 0, answered: 0 } })
    expect(await policies.replay(root, null, [], [])).toMatchObject({ value: { asks: 0 } })
  })
})
