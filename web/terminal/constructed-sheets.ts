/**
 * xterm writes style elements and attributes, which the page's content security policy forbids. This redirects them to
 * constructed style sheets and properties, so that the policy stays strict.
 */
export function withinPolicy(open: () => void): void {
  styleSpansByProperty()
  const create = document.createElement.bind(document)
  // Only while xterm creates its elements, so that nothing else on the page is affected.
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string, options?: ElementCreationOptions) =>
      name === 'style' ? sheetIn(create('data')) : create(name, options),
  })
  try {
    open()
  } finally {
    Reflect.deleteProperty(document, 'createElement')
  }
}

/** Rows are rendered all the time, so this override stays. */
function styleSpansByProperty(): void {
  if (Object.hasOwn(HTMLSpanElement.prototype, 'setAttribute')) return
  const setAttribute = Element.prototype.setAttribute
  Object.defineProperty(HTMLSpanElement.prototype, 'setAttribute', {
    value(this: HTMLSpanElement, name: string, value: string) {
      if (name === 'style') this.style.cssText = value
      else setAttribute.call(this, name, value)
    },
  })
}

/** Replaces a style element and keeps its rules in a constructed sheet. */
function sheetIn(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets.push(sheet)
  element.hidden = true
  Object.defineProperty(element, 'textContent', {
    set(rules: string) {
      sheet.replaceSync(rules)
    },
  })
  Object.defineProperty(element, 'remove', {
    value() {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
      Element.prototype.remove.call(element)
    },
  })
  return element
}
