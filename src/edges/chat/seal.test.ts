import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSeal } from './seal.ts'

const newSeal = () => createSeal(randomBytes(32))

describe('sealed credentials', () => {
  const secrets = { botToken: 'xoxb-secret', appToken: 'xapp-secret' }

  it('are opened with the same key, for the same instance', () => {
    const seal = newSeal()
    const sealed = seal.seal(secrets, 'one')
    expect(sealed).not.toContain('secret')
    expect(seal.open(sealed, 'one')).toEqual({ ok: true, value: secrets })
    expect(seal.open(sealed, 'two')).toMatchObject({ fault: { code: 'chat_credentials_unreadable' } })
  })

  it('are not opened with another key', () => {
    const sealed = newSeal().seal(secrets, 'one')
    const other = newSeal()
    expect(other.open(sealed, 'one')).toMatchObject({ fault: { code: 'chat_key_missing' } })
  })

  it.each(['', '{}', 'null', '{"v":1}'])('are refused if they are damaged: %s', (damaged) => {
    const seal = newSeal()
    expect(seal.open(damaged, 'one')).toMatchObject({ fault: { code: 'chat_credentials_unreadable' } })
  })
})
