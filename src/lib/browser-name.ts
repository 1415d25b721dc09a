const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const find = (list: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  list.find(([look]) => look.test(text))?.[1]

/** Name for a browser: "Chrome on Android". Only names from our own lists: a page may choose what its browser says. */
export function browserName(userAgent: string): string {
  const browser = find(browsers, userAgent) ?? 'Browser'
  const system = find(systems, userAgent)
  return system === undefined ? browser : `${browser} on ${system}`
}
