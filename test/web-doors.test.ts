import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const sources = globSync('web/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(root, file), 'utf8') }))

/** Files that contain this. */
const having = (what: RegExp) =>
  sources
    .filter(({ text }) => what.test(text))
    .map(({ file }) => file)
    .toSorted()

describe('entry points of the dashboard', () => {
  it('S3 only two components link to addresses that are not in the source', () => {
    // The link in an agent's text, and the page it opens.
    expect(having(/<a\b[^>]*\bhref=\{/)).toEqual(['web/ui/agent-link.tsx', 'web/views/leaving/leaving-view.tsx'])
    expect(having(/\.href = (?!URL\.createObjectURL)/)).toEqual([])
    expect(having(/window\.open\(|(?<!indexedDB|\.)\bopen\('http/)).toEqual([])
    expect(having(/dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write/)).toEqual([])
  })

  it('S3 every API request sends the login key, through one function', () => {
    // A lazy view asks /healthz, which needs no login; the sign-in page requests /login, and the worker caches the page itself.
    expect(having(/(?<![\w.])fetch\(/)).toEqual([
      'web/api/keyed-fetch.ts',
      'web/app/lazy-view.ts',
      'web/push/offline.ts',
      'web/sign-in/sign-in.ts',
      'web/sign-in/ways.ts',
    ])
    expect(having(/\bself\.fetch\(/)).toEqual(['web/push/service-worker.ts'])
    expect(having(/new (?:EventSource|WebSocket|XMLHttpRequest)\b|sendBeacon|importScripts/)).toEqual([])
    expect(having(/(?:href|src|action)="\/api\/(?!docs")/)).toEqual([])
  })
})
