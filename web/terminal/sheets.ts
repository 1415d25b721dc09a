/**
 * The terminal writes style elements and style attributes, which the page's policy forbids to everyone. Here what it
 * writes goes through the object model instead, as constructed sheets and properties: the policy stays as it is.
 */
export function withinPolicy(open: () => void): void {
  styleSpansByProperty()
  const create = document.createElement.bind(document)
  // Only while the terminal makes its elements: nothing else on the page is to notice.
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

/** Rows are painted anew all the time, so this one stays; it is done once. */
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

/** Stands where a style element would, and holds its rules outside of the document's text. */
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
