import { access, createLibrary } from 'shelfmark'
import type { AccessRule } from 'shelfmark'

/** The first that matches decides; what none matches is denied. */
const rules: readonly AccessRule[] = [
  { name: 'drafts', deny: 'book://drafts', who: ['anonymous', 'authenticated'] },
  { name: 'own loans', allow: 'loan://ann', who: { id: 'ann' } },
  { name: 'staff', allow: 'loan://{reader}/{book}', who: { claims: { groups: 'staff' } } },
  { name: 'catalogue', allow: 'book://' },
  { name: 'this machine', allow: 'any', who: 'local' },
]

/** Books for everybody, drafts for who sits at the machine, loans for their reader and the staff. */
export function readingRoom(log: (line: string) => void) {
  const policy = access({
    rules,
    onDecision: ({ principal, operation, uri, allowed, rule }) =>
      log(`${allowed ? 'allowed' : 'denied'} ${principal.id} ${operation} ${JSON.stringify(uri)} (${rule?.name ?? 'no rule'})`),
  })
  const library = createLibrary({ name: 'reading-room' })
    .use(policy)
    .resource('book://atlas', () => 'Maps')
    .resource('book://drafts/memoir', () => 'Unfinished')
    .template('loan://{reader}/{book}', { list: () => [{ reader: 'ann', book: 'atlas' }] }, ({ reader, book }) =>
      reader === 'ann' && book === 'atlas' ? 'until Friday' : undefined,
    )
  const close = (): void => {
    policy.replace(rules.filter(({ name }) => name === 'this machine'))
    library.listChanged()
  }
  return { library, close }
}
