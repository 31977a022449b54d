// Webhooks signed as OpenAI signs them (Standard Webhooks), for the tests of calls.

import { createHmac } from 'node:crypto';

/** The secret the helpers sign with. */
export const webhookSecret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`;

/** A signed request; `at` in seconds since the epoch, default now. */
export function signed(body: string, { at = Math.floor(Date.now() / 1000), id = 'wh_1' } = {}) {
  const key = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return {
    body,
    headers: { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` },
  };
}

/** The body that reports a ringing call. */
export function incomingCall(callId: string): string {
  return JSON.stringify({
    object: 'event',
    id: 'evt_1',
    type: 'realtime.call.incoming',
    created_at: 1_750_000_000,
    data: {
      call_id: callId,
      sip_headers: [
        { name: 'From', value: '"Ada" <sip:+4915112345@sip.example.com>' },
        { name: 'To', value: '<sip:+4930123@sip.example.com>' },
        { name: 'Call-ID', value: '0xdeadbeef' },
      ],
    },
  });
}
