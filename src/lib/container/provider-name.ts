/** The name under which a container reaches the host of a named key: `GITHUB_TOKEN` is `github-token`. */
export const providerNameOf = (key: string): string =>
  key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'key'

/** The variable that holds its address inside. */
export const providerVariable = (name: string): string =>
  `SIGNALBOX_PROVIDER_${name.toUpperCase().replaceAll('-', '_')}`
