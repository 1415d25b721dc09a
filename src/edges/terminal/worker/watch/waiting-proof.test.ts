import { describe, expect, it } from 'vitest'
import { promptOf } from '../../../../../test/support/watch-stage.ts'
import type { WatchState } from './types.ts'
import { proveDelivery } from './waiting-proof.ts'

const prompt = (id: string) => ({ ...promptOf('Name:'), id, since: '2030-01-01T00:00:00.000Z', offset: 6 })
const fg = (reading: 'read' | 'poll' | 'no', mark: string) => ({ pid: 7, program: 'demo', reading, mark })
const state = (more: Partial<WatchState>): WatchState => ({
  state: 'waiting',
  prompt: prompt('a'),
  stands: true,
  verdict: { state: 'waiting', prompt: null, confidence: 0.99, decidedBy: 'kernel', evidence: [] },
  at: '2030-01-01T00:00:00.000Z',
  fg: fg('read', '1'),
  mode: { echo: true, canonical: true },
  ...more,
})
const before = state({})
const working = { state: 'working' as const, prompt: null, confidence: 0.98, evidence: [] }

describe('an answer', () => {
  it('was delivered where the program read, and has run since', () => {
    const after = [state({ fg: fg('read', '2') })]
    expect(proveDelivery({ before, after, output: '', text: 'bob' })).toMatchObject({ status: 'delivered', by: 'ran' })
  })

  it('was delivered where the program ended', () => {
    const after = [state({ state: 'exited', prompt: null, fg: null })]
    expect(proveDelivery({ before, after, output: '', text: 'y' })).toMatchObject({ by: 'prompt_gone' })
  })

  it('was delivered where the program asks for something else', () => {
    const raw = { mode: { echo: false, canonical: false }, fg: null }
    const after = [state({ ...raw, prompt: prompt('b') })]
    const facts = { before: state(raw), after, output: 'Age: ', text: 'bob' }
    expect(proveDelivery(facts)).toMatchObject({ status: 'delivered', by: 'prompt_gone' })
  })

  it('was delivered where the kernel says that the program is at work', () => {
    const poll = state({ fg: fg('poll', '1') })
    const after = [
      state({ state: 'working', prompt: null, fg: fg('no', '1'), verdict: { ...working, decidedBy: 'kernel' } }),
    ]
    expect(proveDelivery({ before: poll, after, output: '', text: 'y' })).toMatchObject({ by: 'prompt_gone' })
  })

  it('was delivered where the text appeared at the prompt', () => {
    const facts = { before, after: [before], output: '\u001B[1mbo\u001B[0mb\r\n', text: 'bob' }
    expect(proveDelivery(facts)).toMatchObject({ status: 'delivered', by: 'echo' })
  })

  it('was delivered where something was printed, as after a secret', () => {
    const facts = { before, after: [before], output: '\r\nWelcome', text: null }
    expect(proveDelivery(facts)).toMatchObject({ status: 'delivered', by: 'output' })
  })

  it('is unverified where nothing followed but the line end that the terminal itself shows', () => {
    const facts = { before, after: [before], output: '\r\n\u001B[?25h', text: null }
    expect(proveDelivery(facts)).toMatchObject({ status: 'unverified', by: null })
  })

  it('is not proven by our own guess that an answered prompt is gone', () => {
    const guessed = state({ state: 'working', prompt: null })
    const facts = { before, after: [guessed], output: '', text: 'bob' }
    expect(proveDelivery(facts)).toMatchObject({ status: 'unverified' })
  })

  it('is not proven by ssh having run: that is only the way there', () => {
    const ssh = state({ fg: fg('poll', '1') })
    const after = [state({ fg: fg('poll', '9') })]
    expect(proveDelivery({ before: ssh, after, output: '', text: 'y', remote: true })).toMatchObject({ by: null })
  })

  it('is not proven by a program that wakes by the clock', () => {
    const poll = state({ fg: fg('poll', '1') })
    const after = [state({ fg: fg('poll', '9') })]
    expect(proveDelivery({ before: poll, after, output: '', text: 'y' })).toMatchObject({ status: 'unverified' })
  })
})
