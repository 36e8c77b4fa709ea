/** What a resource is to whoever chooses, cuts or renders it. */
export type Kind =
  | 'code'
  | 'configuration'
  | 'log'
  | 'json'
  | 'xml'
  | 'text'
  | 'markdown'
  | 'table'
  | 'image'
  | 'pdf'
  | 'audio'
  | 'video'
  | 'archive'
  | 'other'

/** What suits a kind. */
export interface KindTraits {
  /** What a person reads beside a name of this kind. */
  readonly title: string
  readonly icon: string
  /** Whether its contents are for prompts as they are. */
  readonly isText: boolean
  /** What an outline is made of. */
  readonly outline: 'headings' | 'symbols' | 'keys' | 'columns' | 'none'
  /** Which of many parts say most where nobody asked for something: the first ones, or those at both ends. */
  readonly sample: 'beginning' | 'ends'
}

const traits = (title: string, icon: string, outline: KindTraits['outline'], rest: Partial<KindTraits> = {}): KindTraits => ({
  title,
  icon,
  outline,
  isText: true,
  sample: 'beginning',
  ...rest,
})
const bytes = (title: string, icon: string): KindTraits => traits(title, icon, 'none', { isText: false })

/** By kind, in the order in which people are shown them. */
export const KINDS: Readonly<Record<Kind, KindTraits>> = {
  markdown: traits('Markdown', '📝', 'headings'),
  text: traits('Plain text', '📄', 'headings'),
  code: traits('Source code', '💻', 'symbols'),
  configuration: traits('Configuration', '⚙️', 'keys'),
  json: traits('JSON', '🔣', 'keys'),
  xml: traits('XML and HTML', '🏷️', 'headings'),
  table: traits('Table', '📊', 'columns', { sample: 'ends' }),
  log: traits('Log', '📜', 'none', { sample: 'ends' }),
  image: bytes('Image', '🖼️'),
  pdf: bytes('PDF', '📕'),
  audio: bytes('Audio', '🔊'),
  video: bytes('Video', '🎬'),
  archive: bytes('Archive', '📦'),
  other: bytes('Other', '❔'),
}
