import { describe, expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import { detect, promptKey } from './detect.ts'

const prompt = drawn('Overwrite? [y/N] ▮')
const busy = drawn('Compiling 12 of 80\n▮')
const raw = { echo: false, canonical: false }
const lines = { echo: true, canonical: true }
const kernel = (reading: 'read' | 'poll' | 'no') => ({ reading, program: 'tool' })

describe('the kernel decides', () => {
  it('a program that reads the terminal is waiting, whatever is on the screen', () => {
    const verdict = detect(busy, { ...recorded, quietMs: 0, kernel: kernel('read') })
    expect(verdict).toMatchObject({ state: 'waiting', decidedBy: 'kernel', prompt: { text: '[tool]' } })
  })

  it('a program that does not read is working, whatever it printed', () => {
    expect(detect(prompt, { ...recorded, kernel: kernel('no') })).toMatchObject({
      state: 'working',
      decidedBy: 'kernel',
    })
  })

  it('a question that ends in a line break is the prompt for what is read below it', () => {
    const screen = drawn('Delete all 40 files? (y/n)\n▮')
    const verdict = detect(screen, { ...recorded, kernel: kernel('read'), mode: lines })
    expect(verdict.prompt).toMatchObject({ text: 'Delete all 40 files? (y/n)', type: 'yes_no', dangerous: true })
  })

  it('says nothing about a program that runs elsewhere', () => {
    for (const reading of ['read', 'poll', 'no'] as const)
      expect(detect(prompt, { ...recorded, kernel: kernel(reading), mode: raw, remote: true }).decidedBy).not.toBe(
        'kernel',
      )
    expect(detect(prompt, { ...recorded, kernel: kernel('no'), mode: raw, remote: true }).state).toBe('waiting')
    expect(detect(busy, { ...recorded, kernel: kernel('poll'), mode: raw, remote: true }).state).toBe('working')
  })

  it('leaves it to the screen if a program waits for events', () => {
    const polls = { ...recorded, kernel: kernel('poll'), mode: raw }
    expect(detect(prompt, { ...polls, quietMs: 50 })).toMatchObject({ state: 'waiting', decidedBy: 'text' })
    expect(detect(busy, polls).state).toBe('working')
  })

  it('an exit ends every prompt', () => {
    expect(detect(prompt, { ...recorded, exited: true })).toMatchObject({ state: 'exited', prompt: null })
  })
})

describe('the terminal mode', () => {
  it('a line without echo waits for a secret', () => {
    const verdict = detect(drawn('Token ▮'), {
      ...recorded,
      kernel: kernel('poll'),
      mode: { echo: false, canonical: true },
    })
    expect(verdict).toMatchObject({
      state: 'waiting',
      decidedBy: 'terminal_mode',
      prompt: { secret: true, type: 'password' },
    })
  })

  it('a started line while keys are read waits to be continued', () => {
    const signals = { ...recorded, kernel: kernel('poll'), mode: raw }
    expect(detect(drawn('name please▮'), signals)).toMatchObject({ state: 'waiting', decidedBy: 'terminal_mode' })
    expect(detect(drawn('name please▮'), { ...signals, mode: lines }).state).toBe('working')
  })
})

describe('if only the output is known', () => {
  it('an entered line is an answer: the program works until it prints', () => {
    expect(detect(prompt, { ...recorded, typed: 'line' })).toMatchObject({ state: 'working', decidedBy: 'silence' })
    expect(detect(prompt, { ...recorded, typed: 'keys' }).state).toBe('waiting')
    expect(detect(prompt, { ...recorded, typed: null }).state).toBe('waiting')
  })

  it('is not certain of a prompt printed just now', () => {
    expect(detect(prompt, { ...recorded, quietMs: 20 })).toMatchObject({ state: 'unknown', prompt: null })
  })

  it('is more certain the longer it is quiet, and never as certain as with the kernel', () => {
    const sure = (quietMs: number) => detect(prompt, { ...recorded, quietMs }).confidence
    expect(sure(300)).toBeLessThan(sure(600))
    expect(sure(600)).toBeLessThan(sure(3000))
    expect(sure(3000)).toBeLessThan(detect(prompt, { ...recorded, kernel: kernel('read') }).confidence)
  })

  it('believes a shell that marks where its input begins', () => {
    expect(detect(drawn('weird ▮', { shellMark: 'input' }), recorded)).toMatchObject({
      state: 'waiting',
      decidedBy: 'screen',
    })
  })
})

describe('a shell mark that was never cleared', () => {
  it('does not make a running command wait', () => {
    expect(detect(drawn('$ make\n▮', { shellMark: 'input' }), recorded).state).toBe('working')
  })
})

describe('a verdict', () => {
  it('names every signal it used, and the one that decided', () => {
    const { evidence, decidedBy } = detect(prompt, { ...recorded, mode: raw, kernel: kernel('poll') })
    expect(evidence.map(({ signal }) => signal)).toEqual(['kernel', 'terminal_mode', 'text', 'silence'])
    expect(evidence.some(({ signal }) => signal === decidedBy)).toBe(true)
  })

  it('is deterministic', () => {
    expect(detect(prompt, recorded)).toEqual(detect(prompt, recorded))
  })

  it('works on screens of any size', () => {
    for (const [cols, rows] of [
      [1, 1],
      [2, 3],
      [400, 200],
    ] as const)
      expect(detect(drawn('▮', { cols, rows }), recorded).state).toBe('working')
  })
})

describe('the key of a prompt', () => {
  it('does not change with spaces, but with text and type', () => {
    expect(promptKey({ text: 'a  b ', type: 'text' })).toBe(promptKey({ text: 'a b', type: 'text' }))
    expect(promptKey({ text: 'a b', type: 'text' })).not.toBe(promptKey({ text: 'a b', type: 'path' }))
    expect(promptKey({ text: 'a c', type: 'text' })).not.toBe(promptKey({ text: 'a b', type: 'text' }))
  })
})
