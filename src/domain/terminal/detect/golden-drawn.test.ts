import { expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import { detect } from './detect.ts'

const asked = (text: string, more = {}) => {
  const { state, prompt } = detect(drawn(text, more), recorded)
  return { state, text: prompt?.text, choices: prompt?.choices.map(({ label }) => label) }
}

it('a box is asked, and not the answered menu above it', () => {
  const menu = '? Colour\n❯ red\n  blue\n\n'
  const box = '┌────────────────┐\n│ Publish now?   │\n│                │\n│ <Yes▮>   <No>   │\n└────────────────┘'
  expect(asked(menu + box)).toEqual({ state: 'waiting', text: 'Publish now?', choices: ['Yes', 'No'] })
})

it('the entries above the pointed one belong to the list of a box', () => {
  const entries = ['red   Rot   ', 'green Gruen ', 'blue  Blau  ']
  for (const pointed of entries.keys()) {
    const list = entries.map((entry, at) => `│     ${at === pointed ? '▮' : ''}${entry} │\n`).join('')
    const box = `┌──────────────────┐\n│ Colour:          │\n│                  │\n${list}│                  │\n│  <Ok>  <Cancel>  │\n└──────────────────┘`
    expect(asked(box, { alternate: true, hidden: true })).toEqual({
      state: 'waiting',
      text: 'Colour:',
      choices: ['red Rot', 'green Gruen', 'blue Blau'],
    })
  }
})

it('the arrows of a scroll bar are no part of an entry', () => {
  const box =
    '┌──────────────────┐\n│ Colours:         │\n│                  │\n│ [ ] ▮red        ^ │\n│ [ ] blue       v │\n│                  │\n│  < Ok > <Cancel> │\n└──────────────────┘'
  expect(asked(box, { alternate: true })).toMatchObject({ choices: ['red', 'blue'] })
})

it.each([
  '? Password ▮',
  '? Password [input is masked]▮\nctrl+t toggle visibility',
  '? Password [hidden]▮',
  '? Password ****▮',
])('a password of a prompt library is one before and after the first key: %s', (text) => {
  const { state, prompt } = detect(drawn(text, { hidden: text.includes('ctrl') }), recorded)
  expect({ state, text: prompt?.text, secret: prompt?.secret }).toEqual({
    state: 'waiting',
    text: '? Password',
    secret: true,
  })
})
