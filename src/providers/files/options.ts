/** What `files()` serves and how. */
export interface FilesOptions {
  /** The folder. A relative path is taken from the working directory, once, when the provider is made. */
  readonly root: string
  /**
   * The root's name in URIs: `file:///<name>/<path>`. Refused when a file or folder of that name stands at `/`
   * of this machine, since some hosts open `file:` URIs themselves. Default: the folder's own name, with `-2`,
   * `-3` and so on when that is taken at `/`.
   */
  readonly name?: string
  /** Serve names that begin with a dot. Default: false. */
  readonly hidden?: boolean
  /** Leave out what `.gitignore` files and `.git/info/exclude` leave out. Default: true. */
  readonly ignore?: boolean
  /**
   * Paths below the root, as `config/.env`, that are served although they are hidden, ignored or look like secrets.
   * Exact paths, no patterns. Default: none.
   */
  readonly allowSecrets?: readonly string[]
  /** Allow `/`, the home folder, `/proc`, `/sys` and `/dev` as root. Default: false. */
  readonly anyRoot?: boolean
}
