import { expect, it } from 'vitest'
import { shareLookups } from './share-lookups.ts'

function lookups() {
  const begun: { key: string; end: PromiseWithResolvers<number> }[] = []
  const look = shareLookups((key: string) => {
    const end = Promise.withResolvers<number>()
    begun.push({ key, end })
    return end.promise
  })
  return { begun, look }
}

const settled = () => new Promise((resolve) => void setImmediate(resolve))

it('shares the next lookup, which begins after everybody who shares it has asked', async () => {
  const { begun, look } = lookups()
  const first = look('a')
  const others = [look('a'), look('a')]
  expect(begun).toHaveLength(1)
  begun[0]?.end.resolve(1)
  expect(await first).toBe(1)
  await settled()
  expect(begun).toHaveLength(2)
  const late = look('a')
  begun[1]?.end.resolve(2)
  expect(await Promise.all(others)).toEqual([2, 2])
  await settled()
  expect(begun).toHaveLength(3)
  begun[2]?.end.resolve(3)
  expect(await late).toBe(3)
})

it('keeps keys apart, and begins at once if nothing is running', async () => {
  const { begun, look } = lookups()
  const [a, b] = [look('a'), look('b')]
  expect(begun.map(({ key }) => key)).toEqual(['a', 'b'])
  begun[0]?.end.resolve(1)
  begun[1]?.end.resolve(2)
  expect(await Promise.all([a, b])).toEqual([1, 2])
  await settled()
  void look('a')
  expect(begun).toHaveLength(3)
})

it('fails only those who share the lookup that failed', async () => {
  const { begun, look } = lookups()
  const first = look('a')
  const second = look('a')
  begun[0]?.end.reject(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await settled()
  begun[1]?.end.resolve(2)
  expect(await second).toBe(2)
})
