const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  kB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
}
const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** A size such as `5MiB` in bytes; a number is bytes already. Undefined for what is none. */
export function parseSize(value: number | string): number | undefined {
  return parseAmount(value, SIZES)
}

/** A time such as `30s` in milliseconds; a number is milliseconds already. Undefined for what is none. */
export function parseDuration(value: number | string): number | undefined {
  return parseAmount(value, TIMES)
}

/** Bounded, so that no text takes long. */
const AMOUNT = /^(\d{1,15}(?:\.\d{1,3})?) ?([A-Za-z]{1,3})$/

function parseAmount(value: number | string, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value === 'number') return whole(value)
  const [, digits = '', unit = ''] = AMOUNT.exec(value) ?? []
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined
  return factor === undefined ? undefined : whole(Number(digits) * factor)
}

function whole(amount: number): number | undefined {
  return Number.isSafeInteger(amount) && amount > 0 ? amount : undefined
}

/** Milliseconds as `parseDuration` takes them. */
export function formatDuration(ms: number): string {
  return formatAmount(ms, TIMES)
}

/** Bytes as `parseSize` takes them. */
export function formatSize(bytes: number): string {
  const { B, KiB, MiB, GiB } = SIZES as Record<'B' | 'KiB' | 'MiB' | 'GiB', number>
  return formatAmount(bytes, { B, KiB, MiB, GiB })
}

function formatAmount(amount: number, units: Readonly<Record<string, number>>): string {
  const [unit, factor] = Object.entries(units).findLast(([, size]) => amount % size === 0) ?? ['', 1]
  return `${amount / factor}${unit}`
}
