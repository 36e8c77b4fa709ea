import type { Citation, Rule } from '../../src/cli/check/finding.ts'

/** The rules as docs/check.md has them: a heading and a table for each family. */
export function docsOf(book: readonly (readonly [family: string, rules: readonly Rule[]])[]): string {
  return book
    .map(([family, rules]) =>
      [
        `### ${family}`,
        '',
        '| rule | severity and section | found when | advice |',
        '|---|---|---|---|',
        ...rules.map(rowOf),
        '',
      ].join('\n'),
    )
    .join('\n')
}

function rowOf({ id, cites, says, advice }: Rule): string {
  return `| \`${id}\` | ${cites.map(citationOf).join('<br>')} | ${cell(says)} | ${cell(advice)} |`
}

function citationOf({ severity, section, from, until }: Citation): string {
  const range =
    from === undefined
      ? until === undefined
        ? ''
        : `until ${until}: `
      : until === undefined
        ? `since ${from}: `
        : `${from} to ${until}: `
  return `${range.replace(/^(\S+) to \1: $/, '$1: ')}**${severity}**, ${section}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
