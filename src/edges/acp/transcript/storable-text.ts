/** PostgreSQL can't store NUL in text. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD')
