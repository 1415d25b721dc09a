/** Text that a browser must never take for markup. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** Of every page: nothing from elsewhere, no script and no style but our files. */
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

/** Of every page: it is in nobody's frame and has no window that opened it or that it opened. */
export const pageHeaders = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // Not no-referrer: browsers then send forms with Origin: null, which is nobody's.
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
