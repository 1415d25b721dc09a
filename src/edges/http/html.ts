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

/** Ways that need this page's script, which shows them where they work. */
const otherWays = `<div id="ways" hidden>
<p class="ways"><button id="passkey" hidden>Sign in with a passkey</button>
<button id="device" class="quiet">Sign in from another device</button></p>
<p id="way-said" role="status"></p>
<div id="device-card" hidden><p>On a device that is signed in, open Signalbox, <strong>Settings, Sign-in</strong>, and enter:</p>
<p id="device-code" class="code"></p>
<div id="device-qr"></div>
<p class="soft">It works once, for five minutes. Type it into your own Signalbox only, and tell it to nobody.</p></div></div>`

/** The ways to a new login link, and a field for it. */
const newLinkHelp = `<p>Make a new login link and open it in this browser:</p>
<ul><li>On the machine that runs Signalbox: <code>signalbox login</code></li>
<li>On a device that is signed in: Settings, Pair a phone</li></ul>
<p class="soft">In a clone: <code>./signalbox login</code>. A link works once, for ten minutes.</p>
<form method="get" action="/login" class="paste"><label for="code">Or paste a login link</label>
<input id="code" name="code" required autocomplete="off" autocapitalize="off" spellcheck="false">
<button>Sign in</button></form>`

/** For an address that holds no login link. */
export const incompleteLinkPage = (): Response =>
  page(
    'Sign in · Signalbox',
    `${heading}<div class="card"><p class="bad">This login link is incomplete.</p>${newLinkHelp}</div>`,
    { status: 400 },
  )

/** Signs in by script, because the response contains a key to store; sign-in.js fills the page. */
export const signInPage = (code: string, when: 'at_once' | 'when_confirmed'): Response =>
  page(
    'Sign in · Signalbox',
    `${heading}<div class="card" id="sign-in" data-code="${escapeHtml(code)}" data-when="${when}">
<p id="said" role="status"></p><p id="hint" class="soft"></p>
<p><button id="go" hidden>Sign in</button> <a id="home" href="/" hidden>Open Signalbox</a></p>
<div id="again" hidden>${newLinkHelp}</div>${needsScript}</div>`,
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
${otherWays}
${newLinkHelp}${needsScript}</div>
${links}${footer(version)}`,
    { status, script: '/sign-in.js' },
  )

/** The style sheet of the pages that the server renders itself: light and dark, desktop and phone. */
export const style = `
:root { color-scheme: light dark; --text: #1c2127; --soft: #5b6570; --line: #dde2e7; --ground: #f6f7f9; --card: #fff;
  --accent: #0b6e4f; --on-accent: #fff; --code: #eef1f4; --bad: #a8201a; --wait: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --text: #e8ebee; --soft: #a3adb8; --line: #2c343c; --ground: #12161a;
  --card: #1a2026; --accent: #4cc38a; --on-accent: #06281b; --code: #242c34; --bad: #ff8a80; --wait: #f2c14e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 40rem; margin: 0 auto; padding: clamp(1.25rem, 5vw, 4rem) 1.25rem; }
main.wide { max-width: 60rem; }
main.full { max-width: 86rem; padding-top: clamp(1rem, 2.5vw, 2rem); }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; display: flex; gap: .6rem; align-items: center; }
h1 img { width: 2rem; height: 2rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; }
p { margin: .5rem 0; }
a { color: var(--accent); }
.soft { color: var(--soft); }
.bad { color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.1rem 1.25rem; margin: 1.25rem 0; }
code, pre { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--code); border-radius: .3rem; }
code { padding: .1rem .3rem; overflow-wrap: anywhere; }
pre { padding: .75rem; overflow-x: auto; margin: .5rem 0; }
pre code { padding: 0; background: none; }
button { font: inherit; font-weight: 600; border: 0; border-radius: .5rem; padding: .65rem 1.1rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); min-height: 44px; }
form.paste { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: 1rem; }
form.paste label { flex-basis: 100%; color: var(--soft); }
form.paste input { flex: 1 1 12rem; min-width: 0; min-height: 44px; font: inherit; padding: 0 .75rem; border-radius: .5rem;
  border: 1px solid var(--line); background: var(--ground); color: var(--text); }
.code { font: 700 1.6rem ui-monospace, SFMono-Regular, Menlo, monospace; letter-spacing: .1em; }
#device-qr svg { width: 12rem; max-width: 100%; border-radius: .5rem; }
button.quiet { background: none; color: var(--accent); border: 1px solid var(--line); }
.ways { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.75rem 0 1.25rem; }
ul.plain { list-style: none; margin: 0; padding: 0; }
ul.plain li { padding: .5rem 0; border-top: 1px solid var(--line); }
ul.plain li:first-child { border-top: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--line); padding: .6rem 0; }
summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
.method { font: 700 .8rem ui-monospace, monospace; min-width: 4.2rem; color: var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; border-top: 0; }
.scroll { overflow-x: auto; }
.chip { font-size: .85rem; font-weight: 600; border: 1px solid currentColor; border-radius: 1rem; padding: .05rem .6rem;
  white-space: nowrap; color: var(--soft); }
.chip.waits { color: var(--wait); }
.chip.runs { color: var(--accent); }
.chip.danger { color: var(--bad); }
.path { margin: 0 0 .75rem; }
ul.terminals li { display: grid; grid-template-columns: 1fr max-content; gap: .15rem 1rem; padding: .8rem 0; align-items: baseline; }
ul.terminals a { font-weight: 600; overflow-wrap: anywhere; }
ul.terminals .chips { display: flex; gap: .4rem; flex-wrap: wrap; justify-content: flex-end; }
@media (max-width: 40rem) { ul.terminals li { grid-template-columns: 1fr; }
  ul.terminals .chips { justify-content: flex-start; } }
ul.terminals .about { grid-column: 1 / -1; overflow-wrap: anywhere; }
ul.terminals .asked { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
`

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="14" y="4" width="3" height="25" rx="1" fill="#5b6570"/><g transform="rotate(-35 15.5 8)"><rect x="15" y="5" width="14" height="6" rx="1" fill="#c0392b"/><rect x="24" y="5" width="2" height="6" fill="#fff"/></g><circle cx="9" cy="9" r="4" fill="#4cc38a"/></svg>`
