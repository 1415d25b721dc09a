const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'it is a file, not a directory',
  EISDIR: 'it is a directory, not a file',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
}

/** Why a file can't be read, without the words of the operating system where there are plainer ones. */
export function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const plain = 'code' in error && typeof error.code === 'string' ? words[error.code] : undefined
  return plain ?? error.message
}
