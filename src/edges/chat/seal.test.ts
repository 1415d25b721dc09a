import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSeal, keyFromFile } from './seal.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'signalbox-seal-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

describe('sealed credentials', () => {
  const secrets = { botToken: 'xoxb-secret', appToken: 'xapp-secret' }

  it('are opened with the same key, for the same instance', () => {
    const seal = createSeal(keyFromFile(folder()))
    const sealed = seal.seal(secrets, 'one')
    expect(sealed).not.toContain('secret')
    expect(seal.open(sealed, 'one')).toEqual({ ok: true, value: secrets })
    expect(seal.open(sealed, 'two')).toMatchObject({ fault: { code: 'chat_credentials_unreadable' } })
  })

  it('are not opened with another key', () => {
    const sealed = createSeal(keyFromFile(folder())).seal(secrets, 'one')
    const other = createSeal(keyFromFile(folder()))
    expect(other.open(sealed, 'one')).toMatchObject({ fault: { code: 'chat_key_missing' } })
  })

  it.each(['', '{}', 'null', '{"v":1}'])('are refused if they are damaged: %s', (damaged) => {
    const seal = createSeal(keyFromFile(folder()))
    expect(seal.open(damaged, 'one')).toMatchObject({ fault: { code: 'chat_credentials_unreadable' } })
  })
})

describe('the key', () => {
  it('stays the same, and only its owner can read it', () => {
    const path = folder()
    const key = keyFromFile(path)
    expect(keyFromFile(path)).toEqual(key)
    expect(statSync(join(path, 'chat-key')).mode & 0o777).toBe(0o600)
  })

  it('is not used if it is cut off', () => {
    const path = folder()
    writeFileSync(join(path, 'chat-key'), 'c2hvcnQ=')
    expect(() => keyFromFile(path)).toThrow('not a key')
  })
})
