/** What is nested deeper than this is no data of use, and more than many programs can write as JSON. */
export const DEEPEST = 100

/** Whether decoded JSON has more than so many levels of objects and arrays. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
