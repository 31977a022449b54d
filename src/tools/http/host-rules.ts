// Which addresses a tool may send to: the allow list, and the private networks that a model must not reach through it.

import ipaddr from 'ipaddr.js';

/** The address rules of a tool. */
export interface HostRules {
  /** `host` (every port of it) or `host:port`; undefined: every public host. */
  readonly allowHosts?: readonly string[];
  readonly allowPrivateAddresses?: boolean;
}

/** The rules refuse an address; the message is for a model to read. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Names that always lead into a private network; so does every name without a dot. */
const privateSuffixes = [
  '.localhost',
  '.localdomain',
  '.local',
  '.internal',
  '.intranet',
  '.private',
  '.corp',
  '.home',
  '.lan',
  '.home.arpa',
  '.onion',
];

// A public address that leads to the host machine: the metadata service of Azure's virtual machines.
const privateInFact = '168.63.129.16';

const publicV6 = ipaddr.IPv6.parseCIDR('2000::/3');

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Why a request to this address is refused, in words for the model; undefined if it is allowed. Decides by the name and
 * by every notation of an IP address; what a name resolves to is checked at lookup.
 */
export function refusalOf(url: URL, rules: HostRules): string | undefined {
  if (defaultPorts[url.protocol] === undefined) {
    return `Addresses must begin with http: or https:, this one begins with ${url.protocol}`;
  }
  if (url.username !== '' || url.password !== '') return 'The address has a user name or a password in it.';
  if (isNamedExactly(url, rules)) return undefined;
  const host = hostOf(url);
  if (rules.allowHosts !== undefined && !rules.allowHosts.some((entry) => hostEntry(entry) === host)) {
    return `The host ${url.host} is not one this tool may reach. It may reach: ${rules.allowHosts.join(', ') || 'none'}.`;
  }
  if (rules.allowPrivateAddresses !== true && isPrivateHost(host)) {
    return `The host ${url.host} is in a private network, which this tool may not reach.`;
  }
  return undefined;
}

/** True if the rules list host and port of this address: then it may be private. */
export function isNamedExactly(url: URL, rules: HostRules): boolean {
  const port = url.port === '' ? defaultPorts[url.protocol] : url.port;
  const exact = `${hostOf(url)}:${port ?? ''}`;
  return rules.allowHosts?.some((entry) => hostEntry(entry) === exact) === true;
}

/** True for every address that is not a public one of a single host. */
export function isPrivateAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address === privateInFact) return true;
  const parsed = ipaddr.parse(address);
  // An IPv4 address inside an IPv6 one has its own range, which is not `unicast`, or is unassigned: always refused.
  if (parsed.range() !== 'unicast') return true;
  return parsed instanceof ipaddr.IPv6 && !parsed.match(publicV6);
}

/** The host of an address in lower case, without brackets and without the dots at its end. */
function hostOf(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '');
}

function isPrivateHost(host: string): boolean {
  if (ipaddr.isValid(host)) return isPrivateAddress(host);
  return !host.includes('.') || privateSuffixes.some((suffix) => host.endsWith(suffix));
}

/**
 * True for a valid entry of the list: `host` or `host:port` as in a URL. Patterns such as `*.example.com` are invalid.
 */
export function isHostEntry(entry: unknown): boolean {
  if (typeof entry !== 'string' || /[\s/?#@*\\]/.test(entry)) return false;
  return ipaddr.IPv6.isValid(entry) || URL.canParse(`http://${entry}`);
}

// As a URL would write it, so that `EXAMPLE.com`, `[::1]:80` and `127.1` compare with what requests carry.
function hostEntry(entry: string): string {
  const trimmed = entry.trim();
  const isBareV6 = ipaddr.IPv6.isValid(trimmed);
  try {
    const url = new URL(`http://${isBareV6 ? `[${trimmed}]` : trimmed}`);
    const port = /:(\d+)$/.exec(isBareV6 ? '' : trimmed)?.[1];
    return port === undefined ? hostOf(url) : `${hostOf(url)}:${Number(port)}`;
  } catch {
    return trimmed.toLowerCase();
  }
}
