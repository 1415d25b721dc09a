import { expect, it } from 'vitest'
import { ownTools } from '../../../client/own-tools.ts'
import { createTools } from './index.ts'

it('the names that hooks allow without asking are those of the listed tools', () => {
  // No tool is called, so none needs its dependencies.
  const { listed } = createTools({} as Parameters<typeof createTools>[0])
  expect(listed.map(({ name }) => name).toSorted()).toEqual(ownTools.toSorted())
})
