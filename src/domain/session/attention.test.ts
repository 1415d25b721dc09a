import { expect, it } from 'vitest'
import { attentionWords } from './attention.ts'

it('is a sentence for a known code, and readable for a new one', () => {
  expect(attentionWords('write_differs')).toBe('the agent wrote something other than what was approved')
  expect(attentionWords('new_code')).toBe('new code')
})
