import { runInThisContext } from 'node:vm'

type Class = new (...args: unknown[]) => object
type WebClass = 'Headers' | 'Request' | 'Response'

/**
 * Stands in for one of Node's web classes until an object of it is made. Node loads all of them when the first is named, and
 * that takes longer than the rest of the HTTP server. The adapter of Hono only derives lighter classes from them, which
 * hardly ever need the real ones. The build (`scripts/build-program.ts`) gives it these.
 */
export function standInFor(name: WebClass): Class {
  let loaded: Class | undefined

  function real(): Class {
    if (loaded) return loaded
    loaded = Reflect.get(globalThis, name) as Class
    Object.setPrototypeOf(StandIn, loaded)
    Object.setPrototypeOf(StandIn.prototype, loaded.prototype)
    return loaded
  }

  const StandIn = class {
    constructor(...args: unknown[]) {
      const target = new.target === StandIn ? real() : new.target
      return Reflect.construct(real(), args, target)
    }
    static [Symbol.hasInstance](value: unknown): boolean {
      if (Function.prototype[Symbol.hasInstance].call(this, value)) return true
      return this === StandIn && loaded !== undefined && value instanceof loaded
    }
  }
  return StandIn
}

let shadowed = false

/**
 * From now on, `Request` and `Response` are these everywhere. Properties of `globalThis` would do the same, but setting them
 * loads what they replace.
 */
export function shadowWebClasses(request: unknown, response: unknown): void {
  if (shadowed) return
  shadowed = true
  const shadow = runInThisContext(
    'let Request, Response; (request, response) => ([Request, Response] = [request, response])',
  )
  shadow(request, response)
}
