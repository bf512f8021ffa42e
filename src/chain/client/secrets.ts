/** An address of a chain: where to connect, who to be there, and how to name it to people. */
export interface Endpoint {
  /** Without user and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Without anything that may be a secret: the path and the query often hold a key. */
  readonly name: string;
}

/** Takes the credentials out of a URL; undefined if it is none. */
export function endpointOf(value: string): Endpoint | undefined {
  const url = URL.parse(value);
  if (url === null) return undefined;
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const name = `${url.protocol}//${url.host}`;
  if (username === "" && password === "") return { url, headers: {}, name };
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(user).toString("base64")}`;
  return { url, headers: { authorization }, name };
}

const URLS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>()]+/gi;

/** The text with nothing left of each URL but where it leads. */
export function withoutSecrets(text: string): string {
  return text.replace(URLS, (found) => endpointOf(found)?.name ?? "a URL");
}
