// DisposableStack and AsyncDisposableStack for Node 22, which has `using` only as compiled code. Loaded by src/bin.ts when they
// are missing; as much of them as we use: use, defer, move and dispose.

type Release = () => unknown

/** Runs all, the last first, even when some throw. A second error carries the first, as the language's own stacks do. */
async function releaseAll(releases: readonly Release[]): Promise<void> {
  const errors: unknown[] = []
  for (const release of releases.toReversed()) {
    try {
      await release()
    } catch (error) {
      errors.push(error)
    }
  }
  throwFirst(errors)
}

function releaseAllNow(releases: readonly Release[]): void {
  const errors: unknown[] = []
  for (const release of releases.toReversed()) {
    try {
      release()
    } catch (error) {
      errors.push(error)
    }
  }
  throwFirst(errors)
}

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, 'Several parts failed to close.')
}

abstract class Stack {
  protected releases: Release[] = []
  private isDisposed = false

  get disposed(): boolean {
    return this.isDisposed
  }

  defer(release: Release): void {
    if (this.isDisposed) throw new ReferenceError('The stack is already disposed.')
    this.releases.push(release)
  }

  protected take(): Release[] {
    const taken = this.releases
    this.releases = []
    this.isDisposed = true
    return taken
  }

  protected hand(to: Stack): void {
    if (this.isDisposed) throw new ReferenceError('The stack is already disposed.')
    to.releases = this.take()
  }
}

export class SyncStack extends Stack {
  use<T extends Disposable | null | undefined>(value: T): T {
    if (value !== null && value !== undefined) this.defer(releaseOf(value, value[Symbol.dispose]))
    return value
  }

  dispose(): void {
    releaseAllNow(this.take())
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  move(): SyncStack {
    const moved = new SyncStack()
    this.hand(moved)
    return moved
  }
}

export class AsyncStack extends Stack {
  use<T extends Disposable | AsyncDisposable | null | undefined>(value: T): T {
    if (value === null || value === undefined) return value
    const release = Symbol.asyncDispose in value ? value[Symbol.asyncDispose] : value[Symbol.dispose]
    this.defer(releaseOf(value, release))
    return value
  }

  disposeAsync(): Promise<void> {
    return releaseAll(this.take())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync()
  }

  move(): AsyncStack {
    const moved = new AsyncStack()
    this.hand(moved)
    return moved
  }
}

function releaseOf(value: object, release: unknown): Release {
  if (typeof release !== 'function') throw new TypeError('The value has nothing to dispose of it.')
  return () => Reflect.apply(release, value, [])
}

/** Only where the language has none. */
export function provideStacks(): void {
  const missing = (name: string, value: unknown): void => {
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  }
  missing('DisposableStack', SyncStack)
  missing('AsyncDisposableStack', AsyncStack)
}
