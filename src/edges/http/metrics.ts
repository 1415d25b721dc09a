import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  observe(route: string, method: string, status: number, seconds: number): void
  text(): Promise<string>
}

export type MetricSources = { eventReaders(): number; openSessions(): Promise<number>; openAsks(): Promise<number> }

/** In Prometheus format. Loaded after the server is ready, to keep the start fast. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'signalbox_http_request_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read())
      },
    })
  gauge('signalbox_event_readers', 'Connections that receive live events', sources.eventReaders)
  gauge('signalbox_sessions', 'Sessions that have not ended', sources.openSessions)
  gauge('signalbox_open_asks', 'Asks waiting for a decision', sources.openAsks)
  const series = new Map<string, { observe(seconds: number): void }>()
  return {
    observe(route, method, status, seconds) {
      const name = `${status} ${method} ${route}`
      let found = series.get(name)
      if (!found) {
        found = requests.labels({ route, method, status })
        series.set(name, found)
      }
      found.observe(seconds)
    },
    text: () => registry.metrics(),
  }
}
