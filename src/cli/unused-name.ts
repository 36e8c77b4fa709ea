/** A name that nothing has yet: itself, or with the first number behind it that is free. */
export function unusedName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  let number = 2
  while (isTaken(`${name}-${number}`)) number++
  return `${name}-${number}`
}
