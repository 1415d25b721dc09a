import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { derivedId } from '../../lib/derived-id.ts'
import { newId } from '../../lib/id.ts'
import { sha256 } from '../../lib/secret.ts'
import { isStagedName, stagedName } from './staged-name.ts'

describe('the name of a staged file', () => {
  it.each([
    ['of a single write', stagedName(randomUUID())],
    ['of a step of an approved change', stagedName(newId(), 0)],
    ['of a later step', stagedName(newId(), 117)],
    ['of a step of a call with a key', stagedName(derivedId('call', 'key'), 3)],
    ['of a restored file', stagedName(sha256('src/a.ts').slice(0, 32))],
  ])('%s is recognized', (_what, name) => {
    expect(isStagedName(name)).toBe(true)
  })

  it('is the same for the same step, and different for another', () => {
    const id = newId()
    expect(stagedName(id, 1)).toBe(stagedName(id, 1))
    expect(new Set([stagedName(id), stagedName(id, 1), stagedName(id, 11)]).size).toBe(3)
  })

  it.each([
    '.signalbox',
    '.signalbox-notes.tmp',
    `.signalbox-${randomUUID()}.txt`,
    `.signalbox-${randomUUID()}-.tmp`,
    `.signalbox-${randomUUID()}-a.tmp`,
    `x.signalbox-${randomUUID()}.tmp`,
  ])('is not mistaken for ours: %s', (name) => {
    expect(isStagedName(name)).toBe(false)
  })
})
