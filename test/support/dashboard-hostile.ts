import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

const evil = 'https://evil.example'
const run = (by: string) => `window.__pwned='${by}'`

/** Markup that would run, load or cover something if any of it were parsed. Each element has `data-evil`. */
export const html =
  `<img data-evil src="${evil}/x.png" onerror="${run('img')}"><script data-evil>${run('script')}</script>` +
  `<svg data-evil onload="${run('svg')}"><use data-evil href="data:image/svg+xml,<svg onload=${run('use')}>"/></svg>` +
  `<iframe data-evil srcdoc="<script>parent.${run('frame')}</script>"></iframe><object data-evil data="${evil}/o"></object>` +
  `<style data-evil>body{display:none}@import url(${evil}/s.css)</style><base data-evil href="${evil}/">` +
  `<form data-evil action="${evil}"><button autofocus onfocus="${run('focus')}">Sign in</button></form>` +
  `<details data-evil open ontoggle="${run('toggle')}"><summary>x</summary></details><meta data-evil http-equiv="refresh" content="0;url=${evil}">` +
  `<a data-evil href="javascript:${run('a')}">click</a><math data-evil><mtext></mtext></math>`

export const links = [
  `[one](javascript:${run('link')})`,
  '[two](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[three](vbscript:x) [four](java&#x09;script:alert(1)) [five](&#106;avascript:alert(1)) [six](blob:x)',
  `[outward](${evil}/go) [mail](mailto:a@evil.example) <${evil}/auto> ${evil}/bare`,
  `[near](/api/docs) [far](//evil.example/far) [file](file:///etc/passwd)`,
  `![picture](${evil}/pixel.png) ![data](data:image/svg+xml,%3Csvg%20onload=${run('image')}%3E) [![in](${evil}/in.png)](${evil}/out)`,
  `[by name][n] ![by name][n]`,
  '',
  `[n]: ${evil}/named.png "t"`,
].join('\n')

export const oscLink = `\u001b]8;;${evil}/osc\u0007osc-link\u001b]8;;\u0007`
/** Sets the title three ways, writes the clipboard, makes links, clears the screen, and leaves a string open. */
export const escapes =
  '\u001b]0;EVIL-TITLE\u0007\u001b]2;EVIL-TITLE\u001b\\\u001b]1;EVIL-TITLE\u0007\u001bkEVIL-TITLE\u001b\\' +
  '\u001b]52;c;RVZJTC1DTElQ\u0007\u001b]52;p;RVZJTC1DTElQ\u001b\\\u001b]1337;SetMark\u0007' +
  `${oscLink}\u001b]8;;javascript:${run('osc')}\u001b\\osc-script\u001b]8;;\u001b\\` +
  '\u001b[31mred\u001b[0m\u001b[2J\u001b[H\u001b[?1049h\u001b[?1049l\u001bP+q544e\u001b\\\u009b1mbold\u0007\b'

export const bidi = 'pay\u202ecod.exe\u202c \u2066to\u2069 \u2067no\u2069 a\u200bb \u061c \ufeffend'

export const everything = `${html}\n\n${links}\n\n${escapes}\n\n${bidi}`
/** The same within a limit for one line. */
export const short = (most: number): string => `${bidi} ${html}`.slice(0, most)

/** Records what a page does that no text should cause. */
export async function watch(context: BrowserContext, origin: string) {
  const effects: string[] = []
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) effects.push(`asked for ${request.url().slice(0, 200)}`)
  })
  const onPage = (page: Page) => {
    page.on('dialog', (dialog) => {
      effects.push(`opened a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('popup', (popup) => effects.push(`opened ${popup.url()}`))
    page.on('download', (download) => effects.push(`downloads ${download.url()}`))
  }
  context.on('page', onPage)
  for (const page of context.pages()) onPage(page)
  return effects
}

const look = () => {
  // Reverses text; in a page it may only appear as its code point.
  const turning = /[\u202a-\u202e\u2066-\u2069]/
  const all = [...document.querySelectorAll('*')]
  const outward = [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].filter(
    ({ origin }) => origin !== location.origin,
  )
  return {
    pwned: Reflect.get(window, '__pwned') ?? null,
    title: document.title,
    evil: document.querySelectorAll('[data-evil], iframe, object, embed, base, math, meta[http-equiv]').length,
    handlers: all.flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on'))),
    scripts: [...document.scripts].map(({ src }) => src).filter((src) => !src.startsWith(location.origin)),
    pictures: [...document.images].map(({ src }) => src).filter((src) => !src.startsWith(`${location.origin}/`)),
    unmarked: outward
      .filter(({ rel, target }) => rel !== 'noopener noreferrer nofollow' || target !== '_blank')
      .map(({ href }) => href),
    schemes: [...new Set(outward.map(({ protocol }) => protocol))],
    text: document.body.innerText.slice(0, 2_000_000),
    turned: all.flatMap((element) => {
      const texts = [...element.childNodes].flatMap((node) => (node instanceof Text ? [node.data] : []))
      const labels = ['title', 'aria-label', 'placeholder'].map((name) => element.getAttribute(name) ?? '')
      return [...texts, ...labels].flatMap((words) => {
        const at = words.search(turning)
        return at === -1
          ? []
          : [`${element.tagName}.${element.className}: ${words.slice(Math.max(0, at - 20), at + 10)}`]
      })
    }),
    shown: getComputedStyle(document.body).display,
  }
}

/** Checks that the page is intact, whatever text it shows. Returns its text. */
export async function expectHarmless(page: Page, where: string): Promise<string> {
  const { text, schemes, title, ...rest } = await page.evaluate(look)
  const strange = schemes.filter((scheme) => !['https:', 'http:', 'mailto:'].includes(scheme))
  expect.soft({ where, ...rest, strange, titled: /EVIL-TITLE|[\u202a-\u202e\u2066-\u2069]/.test(title) }).toEqual({
    where,
    pwned: null,
    evil: 0,
    handlers: [],
    scripts: [],
    pictures: [],
    unmarked: [],
    shown: 'block',
    strange: [],
    turned: [],
    titled: false,
  })
  return text
}
