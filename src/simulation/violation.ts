/** A property that does not hold. The names are those of the list of properties. */
export class Violation extends Error {
  readonly property: string;

  constructor(property: string, message: string) {
    super(`${property}: ${message}`);
    this.property = property;
  }
}

/** A violation that is about an intent, a state or a bundle. */
export function violation(
  property: string,
  id: string,
  what: string,
): Violation {
  return new Violation(property, `${id.slice(0, 14)} ${what}`);
}
