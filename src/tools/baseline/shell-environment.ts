// The environment commands run in: without secrets unless asked otherwise, and set up for programs nobody watches.

/** `scrubbed`: without what looks like a secret. A record: scrubbed, and with these variables whatever they hold. */
export type ShellEnvironment = 'scrubbed' | 'inherit' | Readonly<Record<string, string>>;

// Whole words of a name. SSH_AUTH_SOCK and the like stay: AUTH alone names no secret.
const secretName =
  /(?:^|_)(?:API_?KEYS?|ACCESS_KEYS?|PRIVATE_KEYS?|SIGNING_KEYS?|ENCRYPTION_KEYS?|SERVICE_KEYS?|SECRET|SECRETS|TOKEN|TOKENS|PASSWORD|PASSWORDS|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|AUTH_KEY|COOKIE|KEY)(?:_|$)|APIKEY|^(?:ANTHROPIC|OPENAI|CLAUDE)_/i;
const plainNames = new Set(['PWD', 'OLDPWD']);
// user:password@ in a URL, and the beginnings providers give their keys.
const secretValue =
  /[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@|^(?:sk-|sk_live_|rk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|npm_|AKIA[0-9A-Z]{12}|AIza|eyJ[\w-]+\.eyJ)|-----BEGIN [A-Z ]*PRIVATE KEY-----/i;
// They make a shell run code before the command.
const startupNames = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|BASH_FUNC_.*)$/;

// No pager, no prompt for a password, no colours.
const unattended = { GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', TERM: 'dumb' };

/** Whether a variable looks like a secret, by its name or by its value. */
export function isSecretVariable(name: string, value: string): boolean {
  return (secretName.test(name) && !plainNames.has(name.toUpperCase())) || secretValue.test(value);
}

/** The variables for a command, from those of the host program. */
export function shellVariables(
  option: ShellEnvironment,
  host: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined) continue;
    if (option !== 'inherit' && (isSecretVariable(name, value) || startupNames.test(name))) continue;
    variables[name] = value;
  }
  Object.assign(variables, unattended);
  return typeof option === 'string' ? variables : { ...variables, ...option };
}
