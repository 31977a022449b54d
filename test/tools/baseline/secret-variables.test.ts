import { describe, expect, it } from 'vitest';

import { isSecretVariable } from '../../../src/tools/baseline/secret-variables.ts';
import { shellVariables, startsOtherCode } from '../../../src/tools/baseline/shell-environment.ts';

describe('a variable is a secret by its name', () => {
  it.each([
    'OPENAI_API_KEY', 'ANTHROPIC_BASE_URL', 'AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN', 'GITHUB_TOKEN', 'DB_PASSWORD',
    'PGPASSWORD', 'MYSQL_PWD', 'DBPASS', 'SSHPASS', 'REDISCLI_AUTH', 'GITHUB_PAT', 'DOCKER_AUTH_CONFIG', 'NPM_CONFIG__AUTH', 'npm_config__auth',
    'npm_config__authToken', 'npm_config_//registry.example/:_authToken', 'MYSECRETKEY', 'AWS_SECRETKEY', 'githubtoken', 'githubToken', 'apiKey',
    'STRIPE_KEY', 'TS_AUTHKEY', 'SSH_PRIVATE_KEY', 'SLACK_WEBHOOK_URL', 'SENTRY_DSN', 'AZURE_STORAGE_CONNECTION_STRING', 'AZURE_STORAGE_ACCOUNTKEY',
    'GOOGLE_APPLICATION_CREDENTIALS', 'SESSION_COOKIE', 'JWT', 'WIFI_PSK', 'PASSWORD_SALT', 'HTTP_AUTHORIZATION', 'KEY1', 'Db.Password', 'passwd',
  ])('%s', (name) => {
    expect(isSecretVariable(name, 'x')).toBe(true);
  }); // prettier-ignore
});

describe('a variable is a secret by its value', () => {
  it.each([
    'postgres://me:pw@host/db', 'postgres://me:p/w?x@host/db', 'amqp://:pw@host', 'https://TOKEN@host/repository.git', 'redis://0123456789abcdef0123@host',
    'Server=x;User Id=y;Password=zzz;', 'host=x user=y password=zzz', 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abc==',
    'Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=abc=', 'https://x.blob.core.windows.net/a?sv=2020&sig=abc%3D', '--token=abcdef --verbose',
    '{"auths":{"registry":{"auth":"x"}}}', '{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----"}', '{ "password": "abc" }',
    'https://hooks.slack.com/services/T000/B000/XXXX', 'https://discord.com/api/webhooks/1/abc', 'https://x.webhook.office.com/webhookb2/abc',
    'Authorization: Bearer abcdefghijklmnop', 'sk-abcdef', 'sk_live_abcdef', 'ghp_abcdef', 'github_pat_abcdef', 'glpat-abcdef', 'xoxb-1-abc', 'npm_abcdefghijkl',
    'AKIAABCDEFGHIJKLMNOP', 'ASIAABCDEFGHIJKLMNOP', 'AIzaabcdefghijklmnop', 'eyJhbGciOi.eyJzdWIiOi.abc', '-----BEGIN RSA PRIVATE KEY-----\nx',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nx', '123456789:AAabcdefghijklmnopqrstuvwxyz_12345', 'pypi-abcdefgh', 'hf_abcdefgh',
  ])('%s', (value) => {
    expect(isSecretVariable('HARMLESS', value)).toBe(true);
  }); // prettier-ignore
});

describe('a variable is not a secret', () => {
  it.each([
    ['PATH', '/usr/bin:/opt/sk-learn/bin:/home/me/token=x'], ['HOME', '/home/me'], ['PWD', '/work'], ['OLDPWD', '/'], ['SSH_AUTH_SOCK', '/tmp/agent'],
    ['XAUTHORITY', '/home/me/.Xauthority'], ['AWS_REGION', 'eu-central-1'], ['KEYBOARD', 'de'], ['XKB_KEYMAP', 'de'], ['GIT_AUTHOR_NAME', 'me'],
    ['HTTP_PROXY', 'http://proxy:8080'], ['MONKEY', 'x'], ['COMPASS', 'x'], ['NO_BYPASS', '1'], ['PATTERN', 'x'], ['PATHEXT', '.EXE'],
    ['TOKENIZERS_PARALLELISM', 'false'], ['AUTH_TYPE', 'none'], ['KUBECONFIG', '/home/me/.kube/config'], ['XDG_SESSION_ID', '2'],
    ['npm_config_registry', 'http://localhost:4873/@scope/pkg'], ['REMOTE', 'ssh://git@github.com/a/b'], ['REMOTE', 'git@github.com:a/b'],
    ['DATABASE', 'postgres://me@host/db'], ['NODE_OPTIONS', '--max-old-space-size=4096'], ['LESSOPEN', '| /usr/bin/lesspipe %s'], ['LS_COLORS', 'rs=0:di=01;34'],
    ['DBUS_SESSION_BUS_ADDRESS', 'unix:path=/run/user/0/bus'], ['LONG', 'a'.repeat(200_000)], ['LONG', '://a:'.repeat(20_000)],
  ])('%s=%.40s', (name, value) => {
    expect(isSecretVariable(name, value)).toBe(false);
  }); // prettier-ignore
});

describe('the variables of commands', () => {
  it('are set up for programs nobody watches', () => {
    expect(shellVariables('scrubbed', { PAGER: 'less', TERM: 'xterm', A: 'b', U: undefined })).toEqual({
      A: 'b',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      TERM: 'dumb',
    });
  });

  it('hold what the host gives by name, whatever it looks like', () => {
    expect(shellVariables({ PGPASSWORD: 'given' }, { PGPASSWORD: 'own', B_TOKEN: 'x' })).toMatchObject({
      PGPASSWORD: 'given',
    });
    expect(shellVariables({ PGPASSWORD: 'given' }, { B_TOKEN: 'x' })).not.toHaveProperty('B_TOKEN');
    expect(shellVariables('inherit', { B_TOKEN: 'x' })).toHaveProperty('B_TOKEN');
  });

  it('start no other code unless the host says so', () => {
    const host = { BASH_ENV: 'x', ENV: 'x', 'BASH_FUNC_ls%%': '() { rm x; }', PROMPT_COMMAND: 'x', A: 'b' };
    expect(startsOtherCode(shellVariables('scrubbed', host))).toBe(false);
    expect(startsOtherCode(shellVariables('inherit', host))).toBe(true);
    expect(startsOtherCode(shellVariables({ BASH_ENV: 'x' }, {}))).toBe(true);
  });
});
