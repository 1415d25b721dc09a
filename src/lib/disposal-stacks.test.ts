import { describe, expect, test } from 'vitest'
import { AsyncStack, SyncStack } from './disposal-stacks.ts'

/** What the stacks of the language and ours have in common here. */
type AnyStack = {
  readonly disposed: boolean
  use(value: Disposable | null): unknown
  defer(release: () => void): void
}
type Kind = { name: string; make(): AnyStack & { end(): unknown; moved(): { end(): unknown } } }

const sync = (stack: DisposableStack | SyncStack): ReturnType<Kind['make']> =>
  Object.assign(stack as AnyStack, { end: () => stack.dispose(), moved: () => sync(stack.move()) })
const async = (stack: AsyncDisposableStack | AsyncStack): ReturnType<Kind['make']> =>
  Object.assign(stack as AnyStack, { end: () => stack.disposeAsync(), moved: () => async(stack.move()) })

const kinds: Kind[] = [
  { name: "the language's DisposableStack", make: () => sync(new DisposableStack()) },
  { name: 'our DisposableStack', make: () => sync(new SyncStack()) },
  { name: "the language's AsyncDisposableStack", make: () => async(new AsyncDisposableStack()) },
  { name: 'our AsyncDisposableStack', make: () => async(new AsyncStack()) },
]

describe.each(kinds)('$name', ({ make }) => {
  test('releases the last first, once', async () => {
    const closed: string[] = []
    const stack = make()
    stack.use({ [Symbol.dispose]: () => void closed.push('first') })
    stack.defer(() => void closed.push('second'))
    expect(stack.use(null)).toBeNull()
    await stack.end()
    await stack.end()
    expect(closed).toEqual(['second', 'first'])
    expect(stack.disposed).toBe(true)
    expect(() => stack.defer(() => {})).toThrow(ReferenceError)
  })

  test('hands its content over when it is moved', async () => {
    const closed: string[] = []
    const stack = make()
    stack.defer(() => void closed.push('content'))
    const moved = stack.moved()
    await stack.end()
    expect(closed).toEqual([])
    await moved.end()
    expect(closed).toEqual(['content'])
  })

  test('releases the rest when one fails, and reports it', async () => {
    const closed: string[] = []
    const stack = make()
    stack.defer(() => void closed.push('first'))
    stack.defer(() => {
      throw new Error('stuck')
    })
    await expect((async () => stack.end())()).rejects.toThrow('stuck')
    expect(closed).toEqual(['first'])
  })
})

test('our AsyncDisposableStack prefers the asynchronous way, and waits for it', async () => {
  const closed: string[] = []
  const stack = new AsyncStack()
  stack.use({
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve()
      closed.push('later')
    },
    [Symbol.dispose]: () => void closed.push('at once'),
  })
  await stack.disposeAsync()
  expect(closed).toEqual(['later'])
})
