import { expect, it } from 'vitest'
import { stepsOf } from './plan-steps.ts'

it('reads the steps of a plan in every shape agents use, and leaves out invalid ones', () => {
  const entries = [
    { content: 'Read', status: 'completed' },
    { label: 'Write', status: 'in_progress' },
    'Look',
    { title: 'Rest', status: 'asleep' },
    null,
    { content: 3 },
  ]
  expect(stepsOf(entries)).toEqual([
    { label: 'Read', status: 'done' },
    { label: 'Write', status: 'in_progress' },
    { label: 'Look', status: 'pending' },
    { label: 'Rest', status: 'pending' },
  ])
})
