import { expect, it } from 'vitest'
import { requestedEnv } from './terminal-calls.ts'

it('variables with a name every shell accepts are fine', () => {
  const wanted = [
    { name: 'A', value: '1' },
    { name: '_b2', value: 'x=y' },
    { name: 'A', value: '2' },
  ]
  expect(requestedEnv(wanted)).toMatchObject({ ok: true, value: { A: '2', _b2: 'x=y' } })
})

it.each(['', 'A B', 'A=B', '1A', '-i', 'A\n', 'BASH_FUNC_ls%%', 'SIGNALBOX_CHILD', 'Signalbox_home'])(
  'a variable called %j is refused',
  (name) => {
    expect(requestedEnv([{ name, value: 'x' }])).toMatchObject({ ok: false, fault: { code: 'variable_refused' } })
  },
)

it('a value with a zero byte is refused', () => {
  expect(requestedEnv([{ name: 'A', value: 'x\0y' }]).ok).toBe(false)
})
