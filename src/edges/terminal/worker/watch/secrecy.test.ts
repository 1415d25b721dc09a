import { describe, expect, it } from 'vitest'
import { promptOf } from '../../../../../test/support/watch-harness.ts'
import { answerOf, type EnteredLine } from './answer-text.ts'
import { appearance, isSecret, noModes, withMode } from './secrecy.ts'

const codes = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)
const canonical = { shown: withMode(noModes, { echo: true, canonical: true }) }
const hidden = withMode(noModes, { echo: false, canonical: true })
const raw = withMode(noModes, { echo: false, canonical: false })
const facts = { prompt: promptOf('Name:'), modes: noModes, typed: 3, appearance: 'shown' as const, listed: false }

describe('what is secret', () => {
  it('is what is typed while the terminal driver does not show lines, at any time while typing', () => {
    expect(isSecret({ ...facts, modes: hidden })).toBe(true)
    expect(isSecret({ ...facts, modes: withMode(hidden, { echo: true, canonical: true }) })).toBe(true)
    expect(isSecret({ ...facts, modes: withMode(canonical.shown, { echo: false, canonical: true }) })).toBe(true)
  })

  it('is what does not appear in raw mode, or appears as bullets', () => {
    expect(isSecret({ ...facts, modes: raw, appearance: 'missing' })).toBe(true)
    expect(isSecret({ ...facts, modes: raw, appearance: 'bullets' })).toBe(true)
  })

  it('is what a prompt names as such', () => {
    expect(isSecret({ ...facts, prompt: promptOf('Token:', { secret: true }), modes: canonical.shown })).toBe(true)
    expect(isSecret({ ...facts, prompt: promptOf('Token:', { type: 'password' }) })).toBe(true)
  })

  it('is not what a line editor shows, although echo is off', () => {
    expect(isSecret({ ...facts, modes: raw })).toBe(false)
  })

  it('is not a choice that the prompt lists, nor Enter alone', () => {
    expect(isSecret({ ...facts, modes: raw, appearance: 'missing', listed: true })).toBe(false)
    expect(isSecret({ ...facts, modes: raw, appearance: 'missing', typed: 0 })).toBe(false)
  })

  it('is unknown if it could not be seen, unless the driver showed it', () => {
    expect(isSecret({ ...facts, modes: raw, appearance: 'unseen' })).toBeNull()
    expect(isSecret({ ...facts, appearance: 'unseen' })).toBeNull()
    expect(isSecret({ ...facts, modes: canonical.shown, appearance: 'unseen' })).toBe(false)
  })
})

describe('how typed input appears', () => {
  it.each([
    ['hunter2', 'hunter2', 'shown'],
    ['git  status', 'git status', 'shown'],
    ['yes', '(Y/n) yes', 'shown'],
    ['ls', 'ls          12:03:22', 'shown'],
    ['by', 'bobby', 'shown'],
    ['hunter2', '•••••••', 'bullets'],
    ['hunter2', '******2', 'bullets'],
    ['hunter2', '', 'missing'],
    ['hunter2', '[hidden]', 'missing'],
    ['a', 'at least 8 characters', 'missing'],
    ['pass', 'password', 'missing'],
    ['hunter2', null, 'unseen'],
  ] as const)('%s at %s: %s', (typed, standing, expected) => {
    expect(appearance(codes(typed), standing)).toBe(expected)
  })
})

describe('an answer', () => {
  const given = (more: Partial<EnteredLine>): EnteredLine => ({
    prompt: promptOf('Name:') as EnteredLine['prompt'],
    keys: codes('bob'),
    dropped: false,
    moves: 0,
    modes: raw,
    before: null,
    after: null,
    final: false,
    ...more,
  })

  it('in canonical mode is made of the keys', () => {
    const typed = { keys: [...codes('bib'), 0x11_00_02, 0x11_00_02, ...codes('ob')], modes: canonical.shown }
    expect(answerOf(given({ ...typed, after: 'bob' }))).toEqual({ text: 'bob', secret: false, isSeen: true })
  })

  it('in raw mode is what is on the screen, if the keys don’t tell', () => {
    const completed = { keys: [...codes('bo'), 0x11_00_0f] }
    expect(answerOf(given({ ...completed, before: 'bo' }))).toBeNull()
    expect(answerOf(given({ ...completed, before: 'bo', after: 'bobby' }))).toEqual({
      text: 'bobby',
      secret: false,
      isSeen: false,
    })
  })

  it('waits for the echo, and without one is secret', () => {
    expect(answerOf(given({ before: '', after: '' }))).toBeNull()
    expect(answerOf(given({ before: '', after: '', final: true }))).toEqual({ text: null, secret: true, isSeen: false })
    expect(answerOf(given({ before: '', after: 'bob' }))).toEqual({ text: 'bob', secret: false, isSeen: true })
  })

  it('shown before Enter counts as shown, whatever comes after', () => {
    expect(answerOf(given({ before: 'bob', after: null }))).toEqual({ text: 'bob', secret: false, isSeen: true })
  })

  it('that is secret is reported without its text', () => {
    expect(answerOf(given({ dropped: true, before: 'bob' }))).toEqual({ text: null, secret: true, isSeen: false })
    expect(answerOf(given({ modes: hidden, before: 'bob' }))).toEqual({ text: null, secret: true, isSeen: false })
    expect(answerOf(given({ before: '***' }))).toEqual({ text: null, secret: true, isSeen: false })
  })

  it('in a menu is the selected entry, moved by the arrows since', () => {
    const choices = ['npm', 'pnpm', 'yarn'].map((label, index) => ({
      key: '',
      label,
      selected: index === 0,
      isDefault: false,
    }))
    const prompt = promptOf('Which?', { type: 'choice', choices }) as EnteredLine['prompt']
    expect(answerOf(given({ prompt, keys: [] }))).toEqual({ text: 'npm', secret: false, isSeen: true })
    expect(answerOf(given({ prompt, keys: [0x11_00_11], moves: 1, after: '' }))).toEqual({
      text: 'pnpm',
      secret: false,
      isSeen: true,
    })
    expect(answerOf(given({ prompt, keys: codes('yarn') }))).toEqual({ text: 'yarn', secret: false, isSeen: true })
  })
})
