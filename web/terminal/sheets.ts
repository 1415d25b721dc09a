/**
 * The terminal writes style elements and style attributes, which the page's policy forbids to everyone. Here what it
 * writes goes through the object model instead, as constructed sheets and properties: the policy stays as it is.
 */
export function keepToPolicy(): void {
  const create = document.createElement.bind(document)
  Object.defineProperty(document, 'createElement', {
    value: (name: string, options?: ElementCreationOptions) =>
      name === 'style' ? sheetIn(create('data')) : create(name, options),
  })
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
