// Which environment variables look like secrets, by their names and by their values. Pure; called for the environment
// of commands. In doubt a variable counts as secret: a command that needs it reports that, and the host can pass it by
// name.

// Read in capitals with _ between words, also where the name has none: githubToken, SECRETKEY, authtoken.
const anywhere =
  /SECRET|PASSWO?R?D|PASSPHRASE|PASSCODE|CREDENTIAL|TOKEN(?!IZ)|BEARER|WEBHOOK|MNEMONIC|COOKIE|(?:API|ACCESS|PRIVATE|SIGNING|SIGN|ENCRYPTION|ENCRYPT|DECRYPTION|SERVICE|MASTER|AUTH|LICEN[CS]E|ACCOUNT|STORAGE|DEPLOY|SSH|GPG|PGP|SESSION|CLIENT|SHARED|ROOT|USER|ADMIN|HOST|CRYPT|COSIGN|MINISIGN)_?KEYS?(?:_|\d|$)|CONN(?:ECTION)?_?STR(?:ING)?S?(?:_|$)/;
const wholeWord =
  /(?:^|_)(?:KEYS?|PASS|PWD|PSWD|PW|PAT|PATS|CREDS?|JWTS?|PSK|SALT|PEPPER|OTP|TOTP|HMAC|NETRC|HTPASSWD|DSN|SAS|PEM)(?:_|\d*$)/;
// DBPASS and MYSQLPWD, but not COMPASS.
const wordEnd = /(?<!COM|BY|SUR|TRES|OVER|UNDER)PASS$|[A-Z]PWD$/;
// What is only about how one signs in.
const signIn =
  /(?:^|_)AUTH(?:ORIZATION)?(?:_(?!SOCK|TYPE|METHOD|MODE|URLS?|URI|DOMAIN|ENABLED|PROVIDER|HOST|PORT|DISABLED|REALM|CALLBACK|REDIRECT)|$)/;
const vendor = /^(?:ANTHROPIC|OPENAI|CLAUDE)_/;
const plainNames = new Set(['PWD', 'OLDPWD', 'SSH_AUTH_SOCK', 'XAUTHORITY']);
// Programs do not run without them, whatever they look like.
const neededNames = new Set(['PATH', 'HOME', 'SHELL', 'USER', 'LOGNAME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'PATHEXT', 'SYSTEMROOT', 'COMSPEC', 'WINDIR', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE']); // prettier-ignore

const values: readonly RegExp[] = [
  // scheme://user:password@host, and a token as the user of a page.
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^/\s@:]{0,500}:(?!\d{1,5}(?:[/?#]|$))[^\s@]{0,500}@/i,
  /\bhttps?:\/\/[^/\s@]{1,500}@/i,
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^/\s@:]{20,500}@/i,
  // Within an address or a connection string: password=…, AccountKey=…, ?sig=….
  /(?:^|[\s;,?&"'{-])_?(?:password|passwd|passphrase|pwd|pass|pw|accountkey|sharedaccesskey|sharedaccesssignature|sharedsecret|client_?secret|secret|secret_?(?:access_?)?key|access_?key|access_?token|auth_?token|refresh_?token|token|api_?key|apikey|sig|signature|authorization|auth)["']?\s*[=:]\s*["']?[^\s;,&"']{3,}/i,
  /"auths?"\s*:/i,
  // Addresses that are the secret themselves.
  /hooks\.slack\.com\/|\/api\/webhooks\/|webhook\.office\.com|\.logic\.azure\.com|api\.telegram\.org\/bot|hooks\.zapier\.com|maker\.ifttt\.com/i,
  /\b(?:bearer|basic)\s+[\w+/=.~-]{12,}/i,
  // The beginnings providers give their keys.
  /(?:^|[\s"'=:,;([{/])(?:sk-|sk_|rk_|whsec_|gh[pousr]_|github_pat_|gl[a-z]{2,8}-|xox[a-z]-|xapp-|npm_[A-Za-z0-9]{8}|pypi-|hf_|dop_v1_|shp(?:at|ss|ca|pa)_|sq0[a-z]{3}-|SG\.[\w-]{10}|A[KS]IA[0-9A-Z]{12}|AIza[\w-]{10}|ya29\.|eyJ[\w-]+\.eyJ|dckr_pat_|AGE-SECRET-KEY-|ATATT|lin_api_|sbp_|vercel_|r8_|fly_|tskey-|hvs\.|rnd_|EAAC)[\w./+-]{4,}/,
  /(?:^|\D)\d{8,10}:AA[\w-]{30,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
];

/** Whether a variable looks like a secret. */
export function isSecretVariable(name: string, value: string): boolean {
  const spelled = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z\d]+/g, '_');
  if (neededNames.has(spelled)) return false;
  if (vendor.test(spelled)) return true;
  const isNamedSecret = [anywhere, wholeWord, wordEnd, signIn].some((pattern) => pattern.test(spelled));
  return (isNamedSecret && !plainNames.has(spelled)) || values.some((pattern) => pattern.test(value));
}
