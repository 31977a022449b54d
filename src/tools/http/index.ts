// The entry ./tools/http: tools that are HTTP requests, and a client they share. For Node and browsers.

export { defineHttpTool, type HttpToolSpecification } from './define-http-tool.ts';
export {
  createHttpServiceClient,
  HttpResponseError,
  type HttpService,
  type HttpServiceClient,
  type HttpServiceOptions,
} from './service-client.ts';
