import { escapeHtml, page } from './html.ts'

/** What several pages show alike. */
export const heading = '<h1><img src="/icon.svg" alt="">Signalbox</h1>'
export const what = `<p>One place where people start, watch, steer, answer and undo the work of every AI agent they run.</p>`
export const links = `<h2>For programs</h2>
<ul class="plain">
<li><a href="/api/docs">The API, readable</a> <span class="soft">every address with what it takes and gives</span></li>
<li><a href="/api/openapi.json">OpenAPI 3.1</a> <span class="soft">the same for machines</span></li>
</ul>`
export const footer = (version: string): string => `<p class="soft">Signalbox ${escapeHtml(version)}</p>`

export const sorry = (message: string, hint: string | undefined, status: number): Response =>
  page(
    'Signalbox',
    `${heading}<div class="card"><p class="bad">${escapeHtml(message)}</p><p class="soft">${escapeHtml(hint ?? '')}</p></div>`,
    { status },
  )

export const signedOut = (version: string, status = 200): Response =>
  page(
    'Signalbox',
    `${heading}${what}
<div class="card"><p><strong>You are not signed in.</strong></p>
<p>Where Signalbox runs, ask for a login link and open it here:</p>
<pre><code>signalbox login</code></pre>
<p class="soft">In a clone: <code>./signalbox login</code>. A link works once, for ten minutes.</p>
<form method="get" action="/login" class="paste"><label for="code">Or paste a login link</label>
<input id="code" name="code" required autocomplete="off" autocapitalize="off" spellcheck="false">
<button>Sign in</button></form></div>
${links}${footer(version)}`,
    { status },
  )
