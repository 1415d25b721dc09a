import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemKeychain, type Keychain } from './keychain.ts'
import { chatKey, type KeyOptions } from './key.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'signalbox-key-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}
const contentOf = (dataDir: string): string => readFileSync(join(dataDir, 'chat-key'), 'utf8').trim()

/** A keychain in memory; `forgets`: it says that it keeps a secret, and does not. */
function keychainOf({ forgets = false } = {}) {
  const entries = new Map<string, string>()
  const keychain = {
    entries,
    locked: false,
    read: async (account: string) => (keychain.locked ? null : { value: entries.get(account) ?? null }),
    async write(account: string, value: string) {
      if (!forgets) entries.set(account, value)
      return keychain.locked ? null : { value }
    },
  }
  return keychain satisfies Keychain
}

async function keyOf(dataDir: string, more: Partial<KeyOptions> = {}) {
  const found = await chatKey({ dataDir, store: 'auto', shared: false, keychain: keychainOf(), ...more })
  if (!found.ok) throw new Error(found.fault.message)
  return found.value
}

describe('the key of chat credentials', () => {
  it('is in the keychain of the system if there is one, and never in a file', async () => {
    const dataDir = folder()
    const keychain = keychainOf()
    const first = await keyOf(dataDir, { keychain })
    expect(first).toMatchObject({ place: 'keychain', key: expect.objectContaining({ length: 32 }) })
    expect(contentOf(dataDir)).toBe('keychain')
    expect([...keychain.entries.values()]).toEqual([first.key.toString('base64')])
    expect(await keyOf(dataDir, { keychain })).toEqual(first)
    // Another data directory has another key.
    expect((await keyOf(folder(), { keychain })).key).not.toEqual(first.key)
  })

  it('does not change if the keychain is locked one day', async () => {
    const dataDir = folder()
    const keychain = keychainOf()
    const first = await keyOf(dataDir, { keychain })
    keychain.locked = true
    const locked = await chatKey({ dataDir, store: 'auto', shared: false, keychain })
    expect(locked).toMatchObject({ ok: false, fault: { code: 'chat_keychain_unavailable' } })
    expect(contentOf(dataDir)).toBe('keychain')
    keychain.locked = false
    expect(await keyOf(dataDir, { keychain, store: 'file' })).toEqual(first)
  })

  it('stays in the file that has it, and only its owner can read that', async () => {
    const dataDir = folder()
    const first = await keyOf(dataDir, { store: 'file' })
    expect(first.place).toBe('file')
    expect(statSync(join(dataDir, 'chat-key')).mode & 0o777).toBe(0o600)
    const keychain = keychainOf()
    expect(await keyOf(dataDir, { keychain })).toEqual(first)
    expect(keychain.entries.size).toBe(0)
  })

  it.each([
    ['servers share the database', { shared: true }],
    ['the configuration says so', { store: 'file' as const }],
    ['the keychain forgets', { keychain: keychainOf({ forgets: true }) }],
  ])('is in a file if %s', async (_why, more) => {
    const dataDir = folder()
    const { key, place } = await keyOf(dataDir, more)
    expect([place, contentOf(dataDir)]).toEqual(['file', key.toString('base64')])
  })

  it('is one, however many make it at once', async () => {
    const dataDir = folder()
    const keys = await Promise.all([1, 2, 3].map(() => keyOf(dataDir, { store: 'file' })))
    expect(new Set(keys.map(({ key }) => key.toString('hex'))).size).toBe(1)
  })

  it('is not used if it is cut off', async () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'chat-key'), 'c2hvcnQ=')
    const found = await chatKey({ dataDir, store: 'auto', shared: false, keychain: keychainOf() })
    expect(found).toMatchObject({ ok: false, fault: { code: 'chat_key_damaged' } })
    expect(contentOf(dataDir)).toBe('c2hvcnQ=')
  })
})

/** Without a desktop there is no keychain: an address at which nothing listens stands for it. */
const nowhere = { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' }

describe('the keychain of the system', () => {
  it.runIf(process.platform === 'linux')('is passed over, without a word, where it does not work', async () => {
    const dataDir = folder()
    const { key, place } = await keyOf(dataDir, { keychain: systemKeychain({ env: nowhere, limitMs: 20_000 }) })
    expect([place, contentOf(dataDir)]).toEqual(['file', key.toString('base64')])
  })

  it('is given up if it does not answer', async () => {
    const dataDir = folder()
    const program = join(dataDir, 'hangs.mjs')
    const started = join(dataDir, 'started')
    writeFileSync(program, `import fs from 'node:fs'\nfs.writeFileSync('${started}', '')\nfor (;;);`)
    const keychain = systemKeychain({ env: nowhere, program, limitMs: 1500 })
    expect((await keyOf(dataDir, { keychain })).place).toBe('file')
    expect(existsSync(started)).toBe(true)
  })

  it('answers through its program', async () => {
    const dataDir = folder()
    const program = join(dataDir, 'echo.mjs')
    writeFileSync(
      program,
      `let s = ''
process.stdin.on('data', (d) => (s += d)).on('end', () => process.stdout.write(JSON.stringify({ value: JSON.parse(s).set })))`,
    )
    const keychain = systemKeychain({ env: nowhere, program })
    expect([await keychain.write('a', 'b'), await keychain.read('a')]).toEqual([{ value: 'b' }, { value: null }])
  })
})
