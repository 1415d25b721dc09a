/** Text that a browser must not read as markup. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** For every page: only our own files. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** For every page: it can't be framed, and is isolated from windows that opened it. */
export const pageHeaders = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // Not no-referrer: browsers would then send forms with Origin: null.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}
const headers = { ...pageHeaders, 'content-type': 'text/html; charset=utf-8' }

export function page(
  title: string,
  body: string,
  options: { status?: number; script?: string; sheet?: string; width?: 'wide' | 'full' } = {},
): Response {
  const script = options.script === undefined ? '' : `<script src="${options.script}" defer></script>`
  const sheet = options.sheet === undefined ? '' : `<link rel="stylesheet" href="${options.sheet}">`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
${sheet}${script}
</head>
<body>
<main${options.width ? ` class="${options.width}"` : ''}>
${body}
</main>
</body>
</html>
`
  return new Response(html, { status: options.status ?? 200, headers })
}

export const asset = (text: string, type: string): Response =>
  new Response(text, {
    headers: { 'content-type': type, 'cache-control': 'max-age=3600', 'x-content-type-options': 'nosniff' },
  })

export const heading = '<h1><img src="/icon.svg" alt="">Signalbox</h1>'
export const tagline = `<p>One place where people start, watch, steer, answer and undo the work of every AI agent they run.</p>`
export const links = `<h2>For programs</h2>
<ul class="plain">
<li><a href="/api/docs">API reference</a> <span class="soft">every endpoint with its parameters</span></li>
<li><a href="/api/openapi.json">OpenAPI 3.1</a> <span class="soft">the same, machine-readable</span></li>
</ul>`
export const footer = (version: string): string => `<p class="soft">Signalbox ${escapeHtml(version)}</p>`

export const errorPage = (message: string, hint: string | undefined, status: number): Response =>
  page(
    'Signalbox',
    `${heading}<div class="card"><p class="bad">${escapeHtml(message)}</p><p class="soft">${escapeHtml(hint ?? '')}</p></div>`,
    { status },
  )

const needsScript = `<noscript><p class="bad">Signing in needs JavaScript: the page stores the login key.</p>
<p class="soft">The command line can do everything too: signalbox --help</p></noscript>`

/** Signs in by script, because the response contains a key to store; sign-in.js fills the page. */
export const signInPage = (code: string, when: 'at_once' | 'when_confirmed'): Response =>
  page(
    'Sign in · Signalbox',
    `${heading}<div class="card" id="sign-in" data-code="${escapeHtml(code)}" data-when="${when}">
<p id="said" role="status"></p><p id="hint" class="soft"></p>
<p><button id="go" hidden>Sign in</button> <a id="home" href="/" hidden>Open Signalbox</a></p>${needsScript}</div>`,
    { script: '/sign-in.js' },
  )

const loginNeeded = {
  none: '<p><strong>You are not signed in.</strong></p>',
  without_key: `<p><strong>Please sign in again.</strong></p>
<p>Your login is from before an update and has no login key. Open a new login link.</p>`,
}

export const signedOutPage = (version: string, login: 'none' | 'without_key', status = 200): Response =>
  page(
    'Signalbox',
    `${heading}${tagline}
<div class="card">${loginNeeded[login]}
<p>On the machine that runs Signalbox, make a login link and open it here:</p>
<pre><code>signalbox login</code></pre>
<p class="soft">In a clone: <code>./signalbox login</code>. A link works once, for ten minutes.</p>
<form method="get" action="/login" class="paste"><label for="code">Or paste a login link</label>
<input id="code" name="code" required autocomplete="off" autocapitalize="off" spellcheck="false">
<button>Sign in</button></form>${needsScript}</div>
${links}${footer(version)}`,
    { status, script: '/sign-in.js' },
  )
