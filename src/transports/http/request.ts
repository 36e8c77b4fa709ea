/** One HTTP request without its body. */
export interface HttpRequest {
  readonly method: string
  /** The value of a header, by its lower-case name. */
  header(name: string): string | undefined
}
