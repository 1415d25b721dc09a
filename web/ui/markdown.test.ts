import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { hostBeside } from './link-host.ts'
import { AgentText } from './markdown.tsx'

/** The visible text, without hidden labels and tooltips. */
const seen = (text: string): string =>
  renderToStaticMarkup(createElement(AgentText, { text }))
    .replaceAll(/<span class="sr-only">.*?<\/span>/g, '')
    .replaceAll(/<[^>]*>/g, '')

describe('a link an agent wrote', () => {
  it('shows the host it leads to next to a text that names another', () => {
    expect(seen('[https://bank.example](https://evil.example/x)')).toContain('https://bank.example (evil.example)')
    expect(seen('[**the** `docs`](https://evil.example)')).toContain('the docs (evil.example)')
  })

  it('shows nothing next to it if its text is the address', () => {
    expect(seen('<https://docs.example/a>')).not.toContain('(')
    expect(seen('see www.docs.example')).not.toContain('(')
  })

  it('to a picture says where the picture is', () => {
    expect(seen('![a cat](https://evil.example/cat.png)')).toContain('picture: a cat (evil.example)')
  })

  it.each([
    ['https://docs.example/a', 'https://docs.example/a', null],
    ['https://docs.example/', 'docs.example', null],
    ['https://docs.example/a', 'https://docs.example/b', 'docs.example'],
    ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', 'evil.example'],
    ['https://bank.example:8443/', 'bank', 'bank.example:8443'],
    ['https://b\u0430nk.example/', 'https://b\u0430nk.example', 'xn--bnk-6cd.example'],
    ['mailto:ann@example.org', 'ann@example.org', null],
    ['mailto:eve@example.org', 'ann@example.org', 'eve@example.org'],
  ])('to %s that says %s is followed by %s', (href, text, beside) => {
    expect(hostBeside(href, text)).toBe(beside)
  })
})
