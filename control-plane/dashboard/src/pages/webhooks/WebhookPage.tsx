export { NotFoundPage as WebhookPage } from '../../routes/broken';
