export { fit, openTokenCounter, outlineOf, partsOf } from './budget/index.ts'
export type { FitOptions, Fitted, Part, PartOptions, TokenCounter, TokenEncoding } from './budget/index.ts'
export { KINDS, kindOf } from './kinds/index.ts'
export type { Described, Kind, KindTraits } from './kinds/index.ts'
export {
  citationsIn,
  itemsOf,
  itemsOfSelection,
  renderAiSdk,
  renderAnthropic,
  renderJson,
  renderMarkdown,
  renderOpenAi,
  renderXml,
} from './render/index.ts'
export type {
  AiSdkPart,
  AnthropicPart,
  BytesBody,
  FittedBody,
  ItemOptions,
  JsonItem,
  NativeSupport,
  OpenAiPart,
  Placeholder,
  Rendered,
  RenderItem,
  Source,
  TextBody,
} from './render/index.ts'
export { openSearch } from './search/index.ts'
export type {
  ResourceSearch,
  SearchField,
  SearchFilters,
  SearchHit,
  SearchLimits,
  SearchOptions,
  SearchProgress,
  TemplateHit,
} from './search/index.ts'
export { openAiChooser, select } from './select/index.ts'
export type {
  Choice,
  Chooser,
  ChooserCandidate,
  ChooserPick,
  ChooserRequest,
  OpenAiChooserOptions,
  Rejection,
  Selection,
  SelectOptions,
} from './select/index.ts'
