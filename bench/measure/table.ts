/** One line of a table. The first row of a table is what the others are divided by. */
export interface Row {
  readonly name: string
  /** In the unit of the table: less is better. */
  readonly value: number
  readonly perSecond?: number
  readonly peakMiB?: number
  /** CPU of the driver for each answer, in microseconds. */
  readonly driver?: number
  /** What else used the machine meanwhile, in cores. */
  readonly others?: number
  readonly contended?: boolean
}

export interface Table {
  readonly title: string
  /** For example `us CPU`. */
  readonly unit: string
  readonly rows: readonly Row[]
  /** What is wanted of ours, in words. */
  readonly goal: string
}

const NAMES = 34
const COLUMNS = [NAMES, 12, 9, 10, 10]

/** A table as text, with ratios to its first row, and the most that the driver itself can do. */
export function formatTable(table: Table): string {
  const base = table.rows[0]?.value ?? 1
  const lines = table.rows.map((row) =>
    line([
      row.name,
      figure(row.value),
      `${(row.value / base).toFixed(2)}x`,
      row.perSecond === undefined ? '' : figure(row.perSecond),
      row.peakMiB === undefined ? '' : figure(row.peakMiB),
      row.contended === true ? `contended: others used ${row.others?.toFixed(1)} cores` : '',
    ]),
  )
  const drivers = table.rows.flatMap((row) => (row.driver === undefined ? [] : [row.driver]))
  if (drivers.length > 0) {
    const least = Math.min(...drivers)
    lines.push(line(['the driver itself', figure(least), '', `<= ${figure(1_000_000 / least)}`, '', '']))
  }
  return `${table.title}\n${line(['', table.unit, 'x first', 'a second', 'peak MiB', ''])}\n${lines.join('\n')}\ngoal: ${table.goal}\n`
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(NAMES) : cell.padStart(COLUMNS[index] ?? cell.length + 2)))
    .join('')
    .trimEnd()
}

/** Three digits that mean something. */
function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
