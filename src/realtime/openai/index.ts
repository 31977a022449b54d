// Entry `turnchart/realtime/openai`.

export {
  acceptCall,
  answerCall,
  hangupCall,
  referCall,
  rejectCall,
  type AnsweredOffer,
  type AnswerOptions,
  type CallOptions,
} from './calls.ts';
export type { ClientOptions } from './client-options.ts';
export { createClientSecret, type ClientSecret } from './client-secret.ts';
export { openaiRealtime, type OpenAIRealtimeOptions } from './model.ts';
export {
  receiveCalls,
  type CallDecision,
  type CallReceiver,
  type ReceiveCallsOptions,
  type ReceivedCall,
} from './receive-calls.ts';
export type { OpenSocket, RealtimeSocket, SocketFailure, SocketListener, SocketRequest } from './socket.ts';
export {
  verifyWebhook,
  type IncomingCall,
  type VerifiedWebhook,
  type WebhookOptions,
  type WebhookRequest,
} from './webhook.ts';
