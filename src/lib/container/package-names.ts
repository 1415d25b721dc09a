/**
 * Names of packages, with an optional version, as people approve them. Each means one package of a registry: nothing that a
 * shell or a package manager could read as an option, a file, an address, or several packages.
 */

/** Apt takes "name-" as "remove name". */
export const aptPackage = /^[a-z0-9][a-z0-9.+-]*[a-z0-9.+](?:=[A-Za-z0-9][A-Za-z0-9.+:~-]*)?$/

/** Npm takes a name that ends like an archive for a file. */
export const npmPackage =
  /^(?!.*\.(?:tgz|tar|tar\.gz)$)(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*(?:@[A-Za-z0-9.^~+-]+)?$/

/** The name of an image: one word, which a recipe begins with. */
export const imageReference = /^[a-z0-9][\w./:@-]*$/i
