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
  /**
   * `within-root` follows symbolic links whose target is served by itself; `deny` serves nothing whose path leads over one.
   * Default: `within-root`.
   */
  readonly symlinks?: 'within-root' | 'deny'
  /**
   * Serve no file that has a second name (a hard link), which may stand anywhere on the disk, and be that of a secret.
   * Default: false, since package managers and git make them all the time.
   */
  readonly denyHardlinks?: boolean
  /** Serve nothing of what is mounted below the root, only what lies on the root's own device. Default: false. */
  readonly sameDevice?: boolean
  /** Allow `/`, the home folder, `/proc`, `/sys` and `/dev` as root. Default: false. */
  readonly anyRoot?: boolean
  /**
   * Find changes by looking every second, and ask the system for nothing: for network file systems, of whose changes
   * it does not tell. Default: false, and looking only where the system refuses.
   */
  readonly poll?: boolean
  /** Told once when changes can only be found by looking. Default: a warning of the process. */
  readonly onWarning?: (message: string) => void
}
