import { lazyRouteComponent } from '@tanstack/react-router'

/** The script of a view could not be loaded, because the server did not answer. */
export class ServerUnreachable extends Error {}

/**
 * A view in its own chunk, loaded on first use. A chunk that a running server does not have was replaced by an update:
 * then the router reloads the page once.
 */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        throw (await isServerUp()) ? error : new ServerUnreachable()
      }),
    name,
  )

const patienceMs = 5000

async function isServerUp(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })).ok
  } catch {
    return false
  }
}
