/** What the server takes; it checks again. */
export const mostBytes = 10_000_000
export const mostFiles = 10

const texts =
  /\.(txt|log|diff|patch|ya?ml|toml|ini|sh|sql|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift)$/i

/** Browsers do not know the types of many text files, and take a .ts file for a video. */
export function typeOf({ name, type }: Pick<File, 'name' | 'type'>): string {
  if (texts.test(name)) return 'text/plain'
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'
}

/** The text after `data:…;base64,`. */
export async function base64Of(file: Blob): Promise<string> {
  const address = await dataAddress(file)
  return address.slice(address.indexOf(',') + 1)
}

export const dataAddress = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file could not be read.')))
    reader.readAsDataURL(file)
  })

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
